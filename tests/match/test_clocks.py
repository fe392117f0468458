"""Time limits and claims at the last moment (decisions D7, D8; fault F22)."""

from collections.abc import Callable

import pytest

from match_handler.match.match import IDLE_MS
from match_handler.protocol.payloads import OpCode
from tests.match.driver import TableDriver, started
from tests.match.said import claim, sync

LIMIT_MS = 10_000


def timed(**options: object) -> TableDriver:
    return started({"timeLimitSeconds": LIMIT_MS // 1000, **options})


def end_ms(table: TableDriver) -> int:
    return table.session.started_ms + LIMIT_MS


def almost_over(**options: object) -> TableDriver:
    """The next tick, 50 ms on, is 20 ms after the end."""
    table = timed(**options)
    table.wait(end_ms(table) - 30 - table.now_ms)
    return table


def test_the_time_limit_ends_the_game_once() -> None:
    table = timed()
    assert table.wake_ms == end_ms(table)
    table.award("bob")
    table.wait(LIMIT_MS)
    (ended,) = table.of(OpCode.MATCH_ENDED)
    assert ended["reason"] == "END_REASON_TIME_UP"
    assert ended["durationMs"] == LIMIT_MS
    assert ended["winnerSeat"] == 1
    table.wait(20_000)
    assert len(table.of(OpCode.MATCH_ENDED)) == 1


def test_a_late_call_ends_the_game_at_its_time() -> None:
    table = timed()
    table.loop(after_ms=60_000)
    assert table.of(OpCode.MATCH_ENDED)[0]["durationMs"] == LIMIT_MS


@pytest.mark.parametrize(("before_ms", "counts"), [(1, True), (0, False), (-1, False), (30, True)])
def test_a_claim_counts_if_it_was_received_before_the_end(before_ms: int, *, counts: bool) -> None:
    table = almost_over()
    answer = table.claim("ann", table.sets[0], received_ms=end_ms(table) - before_ms)
    if counts:
        assert answer.body["valid"]
        assert [heard.op_code for heard in table.heard[-2:]] == [OpCode.CLAIM_RESULT, OpCode.MATCH_ENDED]
        assert table.of(OpCode.MATCH_ENDED)[0]["winnerSeat"] == 0
    else:
        assert table.heard[-1].body["reason"] == "CLAIM_REASON_MATCH_OVER"
        assert table.of(OpCode.MATCH_ENDED)[0]["standings"][0]["player"]["score"] == 0
    assert table.of(OpCode.MATCH_ENDED)[0]["durationMs"] == LIMIT_MS


def test_who_was_in_time_is_judged_before_who_was_late() -> None:
    table = almost_over()
    cards = table.sets[0]
    table.loop(
        claim("ann", cards, received_ms=end_ms(table)), claim("bob", cards, received_ms=end_ms(table) - 1)
    )
    assert [heard.op_code for heard in table.heard[-3:]] == [
        OpCode.CLAIM_RESULT,
        OpCode.MATCH_ENDED,
        OpCode.CLAIM_REJECTED,
    ]
    assert table.heard[-1].audience == ("ann-1",)
    assert table.of(OpCode.MATCH_ENDED)[0]["winnerSeat"] == 1


def test_among_those_in_time_the_order_of_a_tick_holds() -> None:
    table = almost_over()
    cards = table.sets[0]
    in_time = end_ms(table) - 1
    table.loop(claim("bob", cards, received_ms=in_time - 9), claim("ann", cards, received_ms=in_time))
    assert [(told["userId"], told["valid"]) for told in table.of(OpCode.CLAIM_RESULT)] == [
        ("ann", True),
        ("bob", False),
    ]


def test_a_penalty_in_the_last_tick_ends_the_game_at_the_last_moment() -> None:
    table = almost_over(penalty="TIME")
    table.claim("ann", table.not_a_set, received_ms=end_ms(table) - 1)
    (ended,) = table.of(OpCode.MATCH_ENDED)
    assert ended["reason"] == "END_REASON_CLOCK_PENALTY"
    assert ended["durationMs"] == LIMIT_MS - 1


def test_no_clock_on_the_wire_is_negative() -> None:
    table = almost_over()
    table.loop(sync("ann"), after_ms=1000)
    snapshot = table.heard[-1].body
    assert snapshot["timeRemainingMs"] == 0
    assert {player["timeRemainingMs"] for player in snapshot["players"]} == {0}


def test_an_untimed_game_has_no_clock() -> None:
    table = started()
    snapshot = table.snapshot("ann")
    assert "timeRemainingMs" not in snapshot
    assert all("timeRemainingMs" not in player for player in snapshot["players"])
    assert table.wake_ms == IDLE_MS, "only the idle limit is left"


def test_a_call_with_an_earlier_time_does_not_turn_the_clock_back() -> None:
    """A join may be told at 1500 while claims of 1400 still wait; the game has seen 1500."""
    table = timed()
    table.now_ms += 1000
    table.join("sue")
    seen_ms = table.now_ms
    told = table.say(claim("ann", table.sets[0]), after_ms=-500).body
    assert told["lockedUntilMs"] == seen_ms + 700
    assert table.lines[-1]["atMs"] == seen_ms
    assert table.snapshot("bob")["nowMs"] == seen_ms


def lonely(*away: str, window: int = 30) -> TableDriver:
    """Three, of whom some went away together; the next tick, 50 ms on, is 20 ms after their window."""
    table = started({"maxPlayers": 3, "reconnectWindowSeconds": window}, "ann", "bob", "cat")
    table.lose(*away)
    table.wait(window * 1000 - 30)
    return table


def test_a_claim_before_the_last_opponent_is_out_counts() -> None:
    table = lonely("bob", "cat")
    out_ms = table.now_ms + 30
    table.loop(claim("ann", table.sets[0], received_ms=out_ms - 1))
    assert table.of(OpCode.CLAIM_RESULT)[0]["valid"]
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_LAST_PLAYER_STANDING"


def test_a_claim_after_the_last_opponent_is_out_is_too_late() -> None:
    table = lonely("bob", "cat")
    out_ms = table.now_ms + 30
    table.loop(claim("ann", table.sets[0], received_ms=out_ms))
    assert table.of(OpCode.CLAIM_RESULT) == []
    assert table.heard[-1].body["reason"] == "CLAIM_REASON_MATCH_OVER"


def test_a_window_that_does_not_end_the_game_does_not_part_a_tick() -> None:
    """Else bob's claim would be first although ann's id is lower (D1)."""
    table = lonely("cat")
    out_ms, cards = table.now_ms + 30, table.sets[0]
    table.loop(claim("ann", cards, received_ms=out_ms + 5), claim("bob", cards, received_ms=out_ms - 5))
    told = [(result["userId"], result["valid"]) for result in table.of(OpCode.CLAIM_RESULT)]
    assert told == [("ann", True), ("bob", False)]


BETWEEN_TICKS: dict[str, Callable[[TableDriver], object]] = {
    "somebody asks to come in": lambda table: table.attempt("eve"),
    "somebody comes to watch": lambda table: table.join("eve"),
    "a server looks in": lambda table: table.signal("snapshot"),
}


@pytest.mark.parametrize("name", BETWEEN_TICKS)
def test_a_call_between_two_ticks_does_not_cut_off_claims_that_came_in_time(name: str) -> None:
    """Nakama hands over joins and signals at once, but inputs only with the next tick (E57)."""
    table = started({"timeLimitSeconds": LIMIT_MS // 1000})
    table.join("sue")
    table.wait(end_ms(table) - 30 - table.now_ms)
    table.now_ms = end_ms(table) + 5
    BETWEEN_TICKS[name](table)
    table.loop(claim("ann", table.sets[0], received_ms=end_ms(table) - 1), after_ms=15)
    assert [told["valid"] for told in table.of(OpCode.CLAIM_RESULT)] == [True]
    (ended,) = table.of(OpCode.MATCH_ENDED)
    assert (ended["reason"], ended["durationMs"]) == ("END_REASON_TIME_UP", LIMIT_MS)


def test_a_clock_that_ran_out_comes_before_a_player_who_leaves() -> None:
    table = almost_over()
    table.now_ms = end_ms(table) + 5
    table.leave("bob")
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_TIME_UP"
