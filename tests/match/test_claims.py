"""Every answer that a claim can get (DESIGN section 5, decisions D2, D3, D5)."""

import json
from typing import Any

import pytest

from match_handler.match.seating import LeaveReason
from match_handler.protocol.payloads import OpCode
from tests.match.driver import Heard, TableDriver, play_to_the_end, started
from tests.match.said import Said, claim, rejected


def reason_of(answer: Heard) -> str:
    assert answer.op_code is OpCode.CLAIM_REJECTED
    return str(answer.body["reason"]).removeprefix("CLAIM_REASON_")


def test_a_valid_claim_scores_and_refills_its_slots() -> None:
    table = started()
    before = table.session.slots
    cards = table.sets[0]
    answer = table.claim("ann", cards, "mine")
    told = answer.body
    assert answer.op_code is OpCode.CLAIM_RESULT
    assert answer.audience is None
    assert told["valid"]
    assert told["reason"] == "CLAIM_REASON_UNSPECIFIED"
    assert told["mixedAttribute"] == "ATTRIBUTE_UNSPECIFIED"
    assert told["message"] == ""
    assert (told["scoreDelta"], told["player"]["score"], told["player"]["setsCollected"]) == (1, 1, 1)
    assert (told["claimId"], told["seat"], told["userId"]) == ("mine", 0, "ann")
    assert told["cardIds"] == list(cards)
    assert told["phase"] == "PHASE_VALID_SET_ANIM"
    assert told["lockedUntilMs"] == table.now_ms + 700
    assert told["cardsRemaining"] == 66
    assert told["boardVersion"] == 2
    changed = {slot["index"]: slot["cardId"] for slot in told["slots"]}
    assert set(changed) == {before.index(card) for card in cards}
    assert table.session.slots == [changed.get(index, card) for index, card in enumerate(before)]


def test_an_invalid_claim_names_the_first_mixed_attribute() -> None:
    table = started()
    board = table.session.slots
    told = table.claim("ann", table.not_a_set).body
    assert not told["valid"]
    assert told["reason"] == "CLAIM_REASON_NOT_A_SET"
    attribute = told["mixedAttribute"].removeprefix("ATTRIBUTE_").capitalize()
    assert told["message"] == f"{attribute} is mixed"
    assert told["slots"] == []
    assert told["player"]["invalidAttempts"] == 1
    assert table.session.slots == board


def test_cards_that_are_gone_make_a_claim_stale() -> None:
    table = started()
    told = table.claim("ann", table.stale).body
    assert told["reason"] == "CLAIM_REASON_STALE"
    assert told["message"] == "Cards no longer on the board"
    assert told["mixedAttribute"] == "ATTRIBUTE_UNSPECIFIED"
    assert told["player"]["invalidAttempts"] == 1


def test_stale_claims_can_be_free() -> None:
    table = started({"penalizeStaleClaims": False, "penalty": "POINT"})
    table.award("ann")
    told = table.claim("ann", table.stale).body
    assert told["reason"] == "CLAIM_REASON_STALE"
    assert (told["player"]["invalidAttempts"], told["scoreDelta"], told["player"]["score"]) == (0, 0, 1)


def test_a_claim_before_the_deal_is_refused() -> None:
    table = TableDriver()
    table.join("ann")
    assert reason_of(table.claim("ann", (0, 1, 2))) == "NOT_STARTED"


def test_a_claim_after_the_end_is_refused() -> None:
    table = started()
    play_to_the_end(table)
    assert reason_of(table.claim("ann", (0, 1, 2))) == "MATCH_OVER"


def test_a_spectator_cannot_claim() -> None:
    table = started()
    table.join("sue")
    assert reason_of(table.claim("sue", table.sets[0])) == "SPECTATOR"


def test_who_has_forfeited_cannot_claim_even_when_back() -> None:
    table = started({"maxPlayers": 3}, "ann", "bob", "cat")
    table.leave("cat")
    table.join("cat")
    assert reason_of(table.claim("cat", table.sets[0])) == "FORFEITED"


def test_another_seat_is_not_one_s_own() -> None:
    table = started()
    assert reason_of(table.claim("ann", table.sets[0], seat=1)) == "WRONG_SEAT"
    assert table.claim("ann", table.sets[0], seat=0).body["valid"]


def test_a_claim_id_is_judged_once() -> None:
    table = started()
    assert table.claim("ann", table.not_a_set, "one").body["player"]["invalidAttempts"] == 1
    table.wait(1000)
    assert reason_of(table.claim("ann", table.sets[0], "one")) == "DUPLICATE"
    assert table.session.players[0].score == 0


def test_a_double_tap_in_one_tick_counts_once() -> None:
    table = started()
    cards = table.sets[0]
    first, second = table.loop(claim("ann", cards, "tap"), claim("ann", cards, "tap"))
    assert first.body["valid"]
    assert reason_of(second) == "DUPLICATE"
    assert second.body["claimId"] == "tap"
    assert (table.session.players[0].score, table.session.players[0].invalid_attempts) == (1, 0)


def test_two_players_may_use_one_claim_id() -> None:
    table = started()
    assert not table.claim("ann", table.not_a_set, "x").body["valid"]
    assert table.claim("bob", table.sets[0], "x").body["valid"]


def test_the_last_32_claim_ids_are_remembered() -> None:
    table = started()
    for number in range(33):
        table.claim("ann", table.not_a_set, f"id-{number}")
        table.wait(1000)
    assert reason_of(table.claim("ann", table.not_a_set, "id-1")) == "DUPLICATE"
    assert table.claim("ann", table.not_a_set, "id-0").op_code is OpCode.CLAIM_RESULT


def test_a_refused_claim_id_may_be_used_again() -> None:
    table = started()
    table.claim("ann", table.sets[0], "first")
    assert reason_of(table.claim("bob", table.sets[0], "again")) == "LOCKED"
    table.settle()
    assert table.claim("bob", table.sets[0], "again").body["valid"]


def test_a_claim_id_judged_in_one_game_stays_judged_in_the_next() -> None:
    table = started({"timeLimitSeconds": 10})
    table.claim("ann", table.sets[0], "same")
    table.wait(10_000)
    table.loop(Said("ann", OpCode.REMATCH), Said("bob", OpCode.REMATCH))
    table.settle()
    assert table.claim("ann", table.sets[0], "same").body["reason"] == "CLAIM_REASON_DUPLICATE"


def body(**changes: Any) -> bytes:
    return json.dumps({"claimId": "c", "cardIds": [0, 1, 2], **changes}).encode()


MALFORMED = {
    "nothing": b"",
    "no JSON": b"claim!",
    "half": b'{"claimId":"c","cardIds":[0,1',
    "not UTF-8": b'{"claimId":"\xff","cardIds":[0,1,2]}',
    "half a surrogate": b'{"claimId":"\\ud800","cardIds":[0,1,2]}',
    "an array": b"[0,1,2]",
    "deep": b"[" * 4000,
    "same card twice": body(cardIds=[1, 1, 2]),
    "same card three times": body(cardIds=[1, 1, 1]),
    "below 0": body(cardIds=[-1, 1, 2]),
    "above 80": body(cardIds=[1, 2, 81]),
    "huge": body(cardIds=[1, 2, 10**30]),
    "two cards": body(cardIds=[1, 2]),
    "four cards": body(cardIds=[1, 2, 3, 4]),
    "text for a card": body(cardIds=["1", 2, 3]),
    "a fraction": body(cardIds=[1.5, 2, 3]),
    "true for a card": body(cardIds=[True, 2, 3]),
    "null for a card": body(cardIds=[None, 2, 3]),
    "no cards": b'{"claimId":"c"}',
    "no claim id": b'{"cardIds":[0,1,2]}',
    "empty claim id": body(claimId=""),
    "long claim id": body(claimId="x" * 65),
    "a number for a claim id": body(claimId=7),
    "one field too many": body(score=100),
    "the names of the proto file": b'{"claim_id":"c","card_ids":[0,1,2]}',
    "seat 8": body(seat=8),
    "seat -1": body(seat=-1),
    "oversize": body(claimId="c") + b" " * 5000,
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_no_claim_is_malformed_and_changes_nothing(data: bytes) -> None:
    table = started({"penalty": "POINT"})
    table.award("ann")
    before = table.session
    answer = table.say(Said("ann", OpCode.CLAIM, data))
    assert reason_of(answer) == "MALFORMED"
    assert answer.audience == ("ann-1",)
    assert len(answer.body["claimId"]) <= 64
    assert (table.session.players, table.session.slots) == (before.players, before.slots)


def test_a_malformed_claim_keeps_its_id_where_it_can_be_read() -> None:
    table = started()
    assert table.say(Said("ann", OpCode.CLAIM, body(cardIds=[1]))).body["claimId"] == "c"
    assert table.say(Said("ann", OpCode.CLAIM, body(claimId="x" * 65))).body["claimId"] == ""
    assert table.say(Said("ann", OpCode.CLAIM, b"\xff")).body["claimId"] == ""


@pytest.mark.parametrize("op_code", [-1, 0, 8, 99, 101, 103, 109, 2**31])
def test_an_unknown_op_code_is_malformed(op_code: int) -> None:
    table = started()
    assert reason_of(table.say(Said("ann", op_code))) == "MALFORMED"


@pytest.mark.parametrize("op_code", [OpCode.SYNC, OpCode.READY, OpCode.REMATCH, OpCode.HINT, OpCode.EXTEND])
def test_what_has_no_content_takes_none(op_code: OpCode) -> None:
    table = started()
    assert reason_of(table.say(Said("ann", op_code, b'{"now":true}'))) == "MALFORMED"
    assert reason_of(table.say(Said("ann", op_code, b"null"))) == "MALFORMED"
    assert table.say(Said("ann", op_code, b"")).body.get("reason") != "CLAIM_REASON_MALFORMED"


def test_a_refusal_is_for_the_sender_alone() -> None:
    table = started()
    answer = table.claim("bob", table.sets[0], seat=0)
    assert answer.audience == ("bob-1",)
    assert answer.body == rejected("WRONG_SEAT", answer.body["claimId"])


def test_strangers_get_no_answer() -> None:
    table = started()
    assert table.loop(claim("eve", table.sets[0])) == []
    table.leave("bob", reason=LeaveReason.DISCONNECTED)
    assert table.loop(claim("bob", table.sets[0])) == []


@pytest.mark.parametrize("length", [1, 64])
def test_claim_ids_have_1_to_64_characters(length: int) -> None:
    table = started()
    assert table.claim("ann", table.sets[0], "é" * length).body["claimId"] == "é" * length
