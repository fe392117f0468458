"""Hints (DESIGN section 5)."""

from match_handler.protocol.payloads import OpCode
from set_core.validator import find_sets_among
from tests.match.driver import TableDriver, play_to_the_end, started
from tests.match.said import hint
from tests.match.test_locks import NO_SET_12

PRACTICE = {"mode": "SINGLE_PLAYER", "hints": True}


def practice() -> TableDriver:
    return started(PRACTICE, "ann")


def test_a_hint_is_a_set_on_the_board_for_the_asker() -> None:
    table = practice()
    table.join("sue")
    answer = table.say(hint("ann"))
    assert answer.op_code is OpCode.HINT_RESULT
    assert answer.audience == ("ann-1",)
    assert find_sets_among(answer.body["cardIds"])
    assert set(answer.body["cardIds"]) <= set(table.board)
    assert table.claim("ann", answer.body["cardIds"]).body["valid"]


def test_asking_twice_gives_the_same_hint_and_changes_nothing() -> None:
    table = practice()
    first, before = table.say(hint("ann")).body, table.session
    second = table.say(hint("ann")).body
    assert first == second
    assert (table.session.slots, table.session.players) == (before.slots, before.players)


def test_where_there_is_no_set_the_hint_is_empty() -> None:
    table = practice()
    table.rig([*NO_SET_12, *(card for card in range(81) if card not in NO_SET_12)])
    assert table.say(hint("ann")).body == {"cardIds": []}


def test_without_the_option_there_are_no_hints() -> None:
    table = started({"mode": "SINGLE_PLAYER"}, "ann")
    assert table.say(hint("ann")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_online_there_are_no_hints() -> None:
    assert started().say(hint("ann")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_spectators_get_no_hints() -> None:
    table = practice()
    table.join("sue")
    assert table.say(hint("sue")).body["reason"] == "CLAIM_REASON_SPECTATOR"


def test_after_the_end_there_are_no_hints() -> None:
    table = practice()
    play_to_the_end(table, "ann")
    assert table.say(hint("ann")).body["reason"] == "CLAIM_REASON_MATCH_OVER"
