"""Whose claim is first (decision D1; faults F1, F2, F13, F14)."""

from itertools import permutations

import pytest

from match_handler.inputs import Input
from match_handler.payloads import OpCode
from tests.match.driver import TableDriver, started
from tests.match.said import claim

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
    assert results(table)[0] == ("cat", True)
    assert len(results(table)) == 1, "the later tick met the lock"


@pytest.mark.fault("F14")
def test_the_time_of_receipt_does_not_order_a_tick() -> None:
    table = three()
    cards = table.sets[0]
    table.loop(claim("bob", cards, received_ms=0), claim("ann", cards, received_ms=10**9))
    assert results(table)[0] == ("ann", True)


def test_one_user_s_messages_stay_in_their_order() -> None:
    table = started()
    wrong, right = table.not_a_set, table.sets[0]
    table.loop(claim("ann", right, "1"), claim("ann", wrong, "2"))
    assert [told["claimId"] for told in table.of(OpCode.CLAIM_RESULT)] == ["1", "2"]
    assert [told["valid"] for told in table.of(OpCode.CLAIM_RESULT)] == [True, False]


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


def test_two_ticks_in_one_call_are_two_ticks() -> None:
    """What waited while the service was away is judged tick by tick, each at its own time."""
    table = started()
    first, second = table.sets[0], table.sets[-1]
    base = table.now_ms

    def at(tick: int, user: str, cards: tuple[int, int, int]) -> Input:
        message = claim(user, cards, f"c{tick}")
        drained_ms = base + 50 * tick
        return Input(
            tick, drained_ms - 9, drained_ms, user, message.session_id, message.op_code, message.data
        )

    table.now_ms = base + 1050
    table.loop_inputs([at(1, "bob", first), at(2, "ann", second), at(20, "ann", second)])
    answers = [heard.body for heard in table.heard[-3:]]
    assert answers[0]["valid"]
    assert answers[1]["reason"] == "CLAIM_REASON_LOCKED"
    assert "valid" in answers[2]
    assert [line["atMs"] for line in table.lines] == [base + 50, base + 1000]
