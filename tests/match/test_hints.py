"""Hints (DESIGN section 5)."""

from match_handler.protocol.payloads import OpCode
from set_core.validator import find_sets_among
from tests.match.driver import MatchDriver, play_to_the_end, started
from tests.match.messages import hint
from tests.match.test_locks import NO_SET_12

PRACTICE = {"mode": "SINGLE_PLAYER", "hints": True}


def practice() -> MatchDriver:
    return started(PRACTICE, "ann")


def test_hint_is_a_set_on_the_board_sent_to_its_player() -> None:
    driver = practice()
    driver.join("sue")
    answer = driver.send(hint("ann"))
    assert answer.op_code is OpCode.HINT_RESULT
    assert answer.audience == ("ann-1",)
    assert find_sets_among(answer.body["cardIds"])
    assert set(answer.body["cardIds"]) <= set(driver.board)
    assert driver.claim("ann", answer.body["cardIds"]).body["valid"]


def test_repeated_hint_is_equal_and_changes_nothing() -> None:
    driver = practice()
    first, before = driver.send(hint("ann")).body, driver.session
    second = driver.send(hint("ann")).body
    assert first == second
    assert (driver.session.slots, driver.session.players) == (before.slots, before.players)


def test_hint_without_a_set_is_empty() -> None:
    driver = practice()
    driver.set_deck([*NO_SET_12, *(card for card in range(81) if card not in NO_SET_12)])
    assert driver.send(hint("ann")).body == {"cardIds": []}


def test_hint_without_the_option_is_rejected() -> None:
    driver = started({"mode": "SINGLE_PLAYER"}, "ann")
    assert driver.send(hint("ann")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_hint_online_is_rejected() -> None:
    assert started().send(hint("ann")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_hint_for_a_spectator_is_rejected() -> None:
    driver = practice()
    driver.join("sue")
    assert driver.send(hint("sue")).body["reason"] == "CLAIM_REASON_SPECTATOR"


def test_hint_after_the_end_is_rejected() -> None:
    driver = practice()
    play_to_the_end(driver, "ann")
    assert driver.send(hint("ann")).body["reason"] == "CLAIM_REASON_MATCH_OVER"
