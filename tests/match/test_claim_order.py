"""Whose claim is first (decision D1; faults F1, F2, F13, F14)."""

from itertools import permutations

import pytest
from msgspec.structs import replace

from match_handler.protocol.payloads import OpCode
from tests.match.driver import TableDriver, started
from tests.match.said import claim, rejected

LAST_SIX = (0, 1, 2, 27, 28, 29)


def three() -> TableDriver:
    return started({"maxPlayers": 3}, "cat", "bob", "ann")


def results(table: TableDriver) -> list[tuple[str, bool]]:
    return [(told["userId"], told["valid"]) for told in table.of(OpCode.CLAIM_RESULT)]


@pytest.mark.fault("F13")
def test_in_one_tick_the_lower_user_id_is_first_however_they_arrive() -> None:
    for arrival in permutations(("ann", "bob", "cat")):
        table = three()
        cards = table.sets[0]
        table.loop(*(claim(user, cards) for user in arrival))
        assert results(table) == [("ann", True), ("bob", False), ("cat", False)]
        assert [player.sets_collected for player in table.session.players] == [0, 0, 1]


def test_user_ids_are_ordered_by_their_bytes() -> None:
    users = ("Zoe", "ann", "\u00e9va", "\uffee", "\U0001f600")
    table = started({"maxPlayers": 5}, *users)
    cards = table.sets[0]
    table.loop(*(claim(user, cards) for user in reversed(users)))
    assert [user for user, _ in results(table)] == sorted(users, key=str.encode)


def test_an_earlier_tick_is_first_whoever_it_is() -> None:
    table = three()
    cards = table.sets[0]
    early = table.drained(claim("cat", cards))
    table.tick, table.now_ms = table.tick + 1, table.now_ms + 50
    late = table.drained(claim("ann", cards, received_ms=0))
    table.loop_inputs([late, early])
    assert results(table) == [("cat", True), ("ann", False)]


@pytest.mark.fault("F14")
def test_the_time_of_receipt_does_not_order_a_tick() -> None:
    table = three()
    cards = table.sets[0]
    table.loop(claim("bob", cards, received_ms=0), claim("ann", cards, received_ms=10**9))
    assert results(table)[0] == ("ann", True)


def test_one_user_s_messages_stay_in_their_order() -> None:
    table = started()
    wrong, right = table.not_a_set, table.sets[0]
    first, second = table.loop(claim("ann", right, "1"), claim("ann", wrong, "2"))
    assert (first.body["claimId"], first.body["valid"]) == ("1", True)
    assert second.body == rejected("LOCKED", "2")


def test_a_script_that_claims_every_set_in_one_tick_gets_one() -> None:
    """D4: the exemption of the same tick is for other players."""
    table = started()
    table.loop(*(claim("ann", cards, str(number)) for number, cards in enumerate(table.sets)))
    assert [told["valid"] for told in table.of(OpCode.CLAIM_RESULT)] == [True]
    assert {told["reason"] for told in table.of(OpCode.CLAIM_REJECTED)} <= {"CLAIM_REASON_LOCKED"}


def test_claims_that_waited_in_an_outage_give_one_player_one_set() -> None:
    table = started()
    inputs = [
        replace(table.drained(claim("ann", cards, f"{cards}")), tick=tick)
        for tick, cards in enumerate(table.sets)
    ]
    table.loop_inputs(inputs)
    assert [told["valid"] for told in table.of(OpCode.CLAIM_RESULT)] == [True]


@pytest.mark.fault("F1")
def test_simultaneous_claims_are_credited_once() -> None:
    """F1."""
    table = started()
    cards = table.sets[0]
    table.loop(claim("bob", cards), claim("ann", cards))
    loser = table.of(OpCode.CLAIM_RESULT)[1]
    assert loser["reason"] == "CLAIM_REASON_STALE"
    taken = sum(player.sets_collected for player in table.session.players)
    assert 81 - len(table.board) - (81 - table.session.drawn) == 3 * taken == 3


@pytest.mark.fault("F2")
def test_the_last_two_sets_in_one_tick_both_count_and_end_the_game_once() -> None:
    """F2."""
    table = started()
    order = [card for card in range(81) if card not in LAST_SIX]
    table.rig([*order, *LAST_SIX], drawn=81, slots=[*LAST_SIX, *[-1] * 6])
    table.loop(claim("bob", LAST_SIX[3:]), claim("ann", LAST_SIX[:3]))
    assert results(table) == [("ann", True), ("bob", True)]
    assert table.board == []
    (ended,) = table.of(OpCode.MATCH_ENDED)
    assert ended["reason"] == "END_REASON_DECK_EXHAUSTED"
    assert ended["draw"]
    assert "winnerSeat" not in ended
    table.wait(20_000)
    assert len(table.of(OpCode.MATCH_ENDED)) == 1
