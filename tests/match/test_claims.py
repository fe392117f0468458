"""All responses to a claim (DESIGN section 5, decisions D2, D3, D5)."""

import json
from typing import Any

import pytest

from match_handler.match.seating import LeaveReason
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, play_to_the_end, started
from tests.match.messages import PlayerMessage, Received, claim, rejected


def reason_of(answer: Received) -> str:
    assert answer.op_code is OpCode.CLAIM_REJECTED
    return str(answer.body["reason"]).removeprefix("CLAIM_REASON_")


def test_valid_claim_scores_and_refills_its_slots() -> None:
    driver = started()
    before = driver.session.slots
    cards = driver.sets[0]
    answer = driver.claim("ann", cards, "mine")
    body = answer.body
    assert answer.op_code is OpCode.CLAIM_RESULT
    assert answer.audience is None
    assert body["valid"]
    assert body["reason"] == "CLAIM_REASON_UNSPECIFIED"
    assert body["mixedAttribute"] == "ATTRIBUTE_UNSPECIFIED"
    assert body["message"] == ""
    assert (body["scoreDelta"], body["player"]["score"], body["player"]["setsCollected"]) == (
        1,
        1,
        1,
    )
    assert (body["claimId"], body["seat"], body["userId"]) == ("mine", 0, "ann")
    assert body["cardIds"] == list(cards)
    assert body["phase"] == "PHASE_VALID_SET_ANIM"
    assert body["lockedUntilMs"] == driver.now_ms + 700
    assert body["cardsRemaining"] == 66
    assert body["boardVersion"] == 2
    changed = {slot["index"]: slot["cardId"] for slot in body["slots"]}
    assert set(changed) == {before.index(card) for card in cards}
    assert driver.session.slots == [changed.get(index, card) for index, card in enumerate(before)]


def test_invalid_claim_names_the_first_mixed_attribute() -> None:
    driver = started()
    board = driver.session.slots
    body = driver.claim("ann", driver.not_a_set).body
    assert not body["valid"]
    assert body["reason"] == "CLAIM_REASON_NOT_A_SET"
    attribute = body["mixedAttribute"].removeprefix("ATTRIBUTE_").capitalize()
    assert body["message"] == f"{attribute} is mixed"
    assert body["slots"] == []
    assert body["player"]["invalidAttempts"] == 1
    assert driver.session.slots == board


def test_claim_on_taken_cards_is_stale() -> None:
    driver = started()
    body = driver.claim("ann", driver.stale).body
    assert body["reason"] == "CLAIM_REASON_STALE"
    assert body["message"] == "Cards no longer on the board"
    assert body["mixedAttribute"] == "ATTRIBUTE_UNSPECIFIED"
    assert body["player"]["invalidAttempts"] == 1


def test_claim_before_the_deal_is_rejected() -> None:
    driver = MatchDriver()
    driver.join("ann")
    assert reason_of(driver.claim("ann", (0, 1, 2))) == "NOT_STARTED"


def test_claim_after_the_end_is_rejected() -> None:
    driver = started()
    play_to_the_end(driver)
    assert reason_of(driver.claim("ann", (0, 1, 2))) == "MATCH_OVER"


def test_spectator_cannot_claim() -> None:
    driver = started()
    driver.join("sue")
    assert reason_of(driver.claim("sue", driver.sets[0])) == "SPECTATOR"


def test_forfeited_player_cannot_claim_after_rejoining() -> None:
    driver = started({"maxPlayers": 3}, "ann", "bob", "cat")
    driver.leave("cat")
    driver.join("cat")
    assert reason_of(driver.claim("cat", driver.sets[0])) == "FORFEITED"


def test_claim_for_another_seat_is_rejected() -> None:
    driver = started()
    assert reason_of(driver.claim("ann", driver.sets[0], seat=1)) == "WRONG_SEAT"
    assert driver.claim("ann", driver.sets[0], seat=0).body["valid"]


def test_claim_id_is_judged_once() -> None:
    driver = started()
    assert driver.claim("ann", driver.not_a_set, "one").body["player"]["invalidAttempts"] == 1
    driver.wait(1000)
    assert reason_of(driver.claim("ann", driver.sets[0], "one")) == "DUPLICATE"
    assert driver.session.players[0].score == 0


def test_repeated_claim_id_in_one_tick_counts_once() -> None:
    driver = started()
    cards = driver.sets[0]
    first, second = driver.loop(claim("ann", cards, "tap"), claim("ann", cards, "tap"))
    assert first.body["valid"]
    assert reason_of(second) == "DUPLICATE"
    assert second.body["claimId"] == "tap"
    assert (driver.session.players[0].score, driver.session.players[0].invalid_attempts) == (1, 0)


def test_two_players_may_use_the_same_claim_id() -> None:
    driver = started()
    assert not driver.claim("ann", driver.not_a_set, "x").body["valid"]
    assert driver.claim("bob", driver.sets[0], "x").body["valid"]


def test_last_32_claim_ids_are_remembered() -> None:
    driver = started()
    for number in range(33):
        driver.claim("ann", driver.not_a_set, f"id-{number}")
        driver.wait(1000)
    assert reason_of(driver.claim("ann", driver.not_a_set, "id-1")) == "DUPLICATE"
    assert driver.claim("ann", driver.not_a_set, "id-0").op_code is OpCode.CLAIM_RESULT


def test_rejected_claim_id_may_be_used_again() -> None:
    driver = started()
    driver.claim("ann", driver.sets[0], "first")
    assert reason_of(driver.claim("bob", driver.sets[0], "again")) == "LOCKED"
    driver.settle()
    assert driver.claim("bob", driver.sets[0], "again").body["valid"]


def test_judged_claim_id_is_still_a_duplicate_in_the_next_game() -> None:
    driver = started({"timeLimitSeconds": 10})
    driver.claim("ann", driver.sets[0], "same")
    driver.wait(10_000)
    driver.loop(PlayerMessage("ann", OpCode.REMATCH), PlayerMessage("bob", OpCode.REMATCH))
    driver.settle()
    assert driver.claim("ann", driver.sets[0], "same").body["reason"] == "CLAIM_REASON_DUPLICATE"


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
def test_malformed_claim_is_rejected_without_effect(data: bytes) -> None:
    driver = started({"penalty": "POINT"})
    driver.claim_set("ann")
    before = driver.session
    answer = driver.send(PlayerMessage("ann", OpCode.CLAIM, data))
    assert reason_of(answer) == "MALFORMED"
    assert answer.audience == ("ann-1",)
    assert len(answer.body["claimId"]) <= 64
    assert (driver.session.players, driver.session.slots) == (before.players, before.slots)


def test_malformed_claim_keeps_a_readable_claim_id() -> None:
    driver = started()
    assert driver.send(PlayerMessage("ann", OpCode.CLAIM, body(cardIds=[1]))).body["claimId"] == "c"
    assert driver.send(PlayerMessage("ann", OpCode.CLAIM, body(claimId="x" * 65))).body["claimId"] == ""
    assert driver.send(PlayerMessage("ann", OpCode.CLAIM, b"\xff")).body["claimId"] == ""


@pytest.mark.parametrize("op_code", [-1, 0, 8, 99, 101, 103, 109, 2**31])
def test_unknown_op_code_is_malformed(op_code: int) -> None:
    driver = started()
    assert reason_of(driver.send(PlayerMessage("ann", op_code))) == "MALFORMED"


@pytest.mark.parametrize("op_code", [OpCode.SYNC, OpCode.READY, OpCode.REMATCH, OpCode.HINT, OpCode.EXTEND])
def test_message_without_content_must_be_empty(op_code: OpCode) -> None:
    driver = started()
    assert reason_of(driver.send(PlayerMessage("ann", op_code, b'{"now":true}'))) == "MALFORMED"
    assert reason_of(driver.send(PlayerMessage("ann", op_code, b"null"))) == "MALFORMED"
    assert driver.send(PlayerMessage("ann", op_code, b"")).body.get("reason") != "CLAIM_REASON_MALFORMED"


def test_rejection_is_sent_to_the_sender_alone() -> None:
    driver = started()
    answer = driver.claim("bob", driver.sets[0], seat=0)
    assert answer.audience == ("bob-1",)
    assert answer.body == rejected("WRONG_SEAT", answer.body["claimId"])


def test_strangers_get_no_response() -> None:
    driver = started()
    assert driver.loop(claim("eve", driver.sets[0])) == []
    driver.leave("bob", reason=LeaveReason.DISCONNECTED)
    assert driver.loop(claim("bob", driver.sets[0])) == []


@pytest.mark.parametrize("length", [1, 64])
def test_claim_ids_have_1_to_64_characters(length: int) -> None:
    driver = started()
    assert driver.claim("ann", driver.sets[0], "é" * length).body["claimId"] == "é" * length
