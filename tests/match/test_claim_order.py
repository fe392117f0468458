"""Order of claims (decision D1; faults F1, F2, F13, F14)."""

from itertools import permutations

import pytest
from msgspec.structs import replace

from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, started
from tests.match.messages import claim, rejected

LAST_SIX = (0, 1, 2, 27, 28, 29)


def three() -> MatchDriver:
    return started({"maxPlayers": 3}, "cat", "bob", "ann")


def results(driver: MatchDriver) -> list[tuple[str, bool]]:
    return [(message["userId"], message["valid"]) for message in driver.bodies(OpCode.CLAIM_RESULT)]


@pytest.mark.fault("F13")
def test_lower_user_id_is_first_in_one_tick() -> None:
    for arrival in permutations(("ann", "bob", "cat")):
        driver = three()
        cards = driver.sets[0]
        driver.loop(*(claim(user, cards) for user in arrival))
        assert results(driver) == [("ann", True), ("bob", False), ("cat", False)]
        assert [player.sets_collected for player in driver.session.players] == [0, 0, 1]


def test_user_ids_are_ordered_by_their_bytes() -> None:
    users = ("Zoe", "ann", "\u00e9va", "\uffee", "\U0001f600")
    driver = started({"maxPlayers": 5}, *users)
    cards = driver.sets[0]
    driver.loop(*(claim(user, cards) for user in reversed(users)))
    assert [user for user, _ in results(driver)] == sorted(users, key=str.encode)


def test_earlier_tick_is_first_for_any_user() -> None:
    driver = three()
    cards = driver.sets[0]
    early = driver.drained(claim("cat", cards))
    driver.tick, driver.now_ms = driver.tick + 1, driver.now_ms + 50
    late = driver.drained(claim("ann", cards, received_ms=0))
    driver.loop_inputs([late, early])
    assert results(driver) == [("cat", True), ("ann", False)]


@pytest.mark.fault("F14")
def test_receive_time_does_not_order_a_tick() -> None:
    driver = three()
    cards = driver.sets[0]
    driver.loop(claim("bob", cards, received_ms=0), claim("ann", cards, received_ms=10**9))
    assert results(driver)[0] == ("ann", True)


def test_messages_of_one_user_keep_their_order() -> None:
    driver = started()
    wrong, right = driver.not_a_set, driver.sets[0]
    first, second = driver.loop(claim("ann", right, "1"), claim("ann", wrong, "2"))
    assert (first.body["claimId"], first.body["valid"]) == ("1", True)
    assert second.body == rejected("LOCKED", "2")


def test_claiming_every_set_in_one_tick_scores_once() -> None:
    """D4: only other players' claims of the same tick are exempt from the lock."""
    driver = started()
    sets = driver.sets
    assert len(sets) > 1
    driver.loop(*(claim("ann", cards, str(number)) for number, cards in enumerate(sets)))
    assert [message["valid"] for message in driver.bodies(OpCode.CLAIM_RESULT)] == [True]
    reasons = [message["reason"] for message in driver.bodies(OpCode.CLAIM_REJECTED)]
    assert reasons == ["CLAIM_REASON_LOCKED"] * (len(sets) - 1)


def test_claims_queued_in_an_outage_give_one_player_one_set() -> None:
    driver = started()
    inputs = [
        replace(driver.drained(claim("ann", cards, f"{cards}")), tick=tick)
        for tick, cards in enumerate(driver.sets)
    ]
    assert len(inputs) > 1
    driver.loop_inputs(inputs)
    assert [message["valid"] for message in driver.bodies(OpCode.CLAIM_RESULT)] == [True]


@pytest.mark.fault("F1")
def test_simultaneous_claims_score_once() -> None:
    driver = started()
    cards = driver.sets[0]
    driver.loop(claim("bob", cards), claim("ann", cards))
    loser = driver.bodies(OpCode.CLAIM_RESULT)[1]
    assert loser["reason"] == "CLAIM_REASON_STALE"
    taken = sum(player.sets_collected for player in driver.session.players)
    assert 81 - len(driver.board) - (81 - driver.session.drawn) == 3 * taken == 3


@pytest.mark.fault("F2")
def test_last_two_sets_in_one_tick_count_and_end_once() -> None:
    driver = started()
    order = [card for card in range(81) if card not in LAST_SIX]
    driver.set_deck([*order, *LAST_SIX], drawn=81, slots=[*LAST_SIX, *[-1] * 6])
    driver.loop(claim("bob", LAST_SIX[3:]), claim("ann", LAST_SIX[:3]))
    assert results(driver) == [("ann", True), ("bob", True)]
    assert driver.board == []
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    assert ended["reason"] == "END_REASON_DECK_EXHAUSTED"
    assert ended["draw"]
    assert "winnerSeat" not in ended
    driver.wait(20_000)
    assert len(driver.bodies(OpCode.MATCH_ENDED)) == 1
