"""Time limits, time penalties and wake times (decisions D7 and D8)."""

import pytest

from set_core import ClaimJudged, ClaimRejected, EndReason, GameEnded, GameSession, Penalty, RejectionReason
from tests.core.games import (
    GROWS_ONCE,
    a_set,
    ended,
    judged,
    new_game,
    no_set,
    rejected,
    running,
    stuck_after_claim,
)


def timed(seats: int = 2, limit: int = 60) -> GameSession:
    return running(
        seats=seats, max_players=8, penalty=Penalty.TIME, time_limit_seconds=limit, time_penalty_seconds=20
    )


def test_time_limit_ends_the_game_at_its_exact_time() -> None:
    session = timed()
    assert session.closing_ms == session.wake_ms == session.deadline_ms == 60_000
    assert session.advance(59_999) == []

    results = ended(session.advance(75_000)).results
    assert (results.reason, results.duration_ms) == (EndReason.TIME_UP, 60_000)


def test_claim_counts_before_the_limit_but_not_at_it() -> None:
    early, late = timed(), timed()

    assert judged(early.claim(0, a_set(early), 59_999)).is_valid
    events = late.claim(0, a_set(late), 60_000)
    assert [type(event) for event in events] == [GameEnded, ClaimRejected]
    assert rejected(events) is RejectionReason.MATCH_OVER


def test_clock_starts_when_the_cards_are_dealt() -> None:
    session = new_game(time_limit_seconds=10)
    assert (session.closing_ms, session.started_ms, session.time_remaining_ms(5_000)) == (None, None, 10_000)
    session.start(5_000)

    assert (session.closing_ms, session.started_ms) == (15_000, 5_000)
    assert session.time_remaining_ms(7_000) == 8_000


def test_untimed_game_has_no_clock() -> None:
    session = running()

    assert (session.closing_ms, session.wake_ms, session.deadline_ms) == (None, None, None)
    assert session.time_remaining_ms(10**9) is None
    assert session.player_time_remaining_ms(0, 10**9) is None
    assert session.advance(10**9) == []


def test_time_penalty_moves_the_end_forward_for_all() -> None:
    session = timed()
    session.claim(1, no_set(session), 10_000)

    assert session.closing_ms == 40_000
    assert session.time_remaining_ms(10_000) == 50_000
    assert session.player_time_remaining_ms(0, 10_000) == 50_000
    assert session.player_time_remaining_ms(1, 10_000) == 30_000
    assert ended(session.advance(40_000)).results.reason is EndReason.TIME_UP


@pytest.mark.parametrize("now_ms", [40_000, 45_000])
def test_penalty_that_uses_up_the_clock_ends_the_game(now_ms: int) -> None:
    session = timed()
    events = session.claim(0, no_set(session), now_ms)

    assert [type(event) for event in events] == [ClaimJudged, GameEnded]
    results = ended(events).results
    assert (results.reason, results.duration_ms) == (EndReason.CLOCK_PENALTY, now_ms)
    assert session.player_time_remaining_ms(0, now_ms) == 0


def test_game_continues_with_one_millisecond_left() -> None:
    session = timed()

    assert len(session.claim(0, no_set(session), 39_999)) == 1
    assert session.closing_ms == 40_000


def test_clocks_of_forfeited_players_do_not_count() -> None:
    session = timed(seats=3)
    session.claim(2, no_set(session), 0)
    session.forfeit([2], 100)

    assert session.closing_ms == 60_000


@pytest.mark.fault("F22")
def test_clocks_are_never_negative_and_stop_at_the_end() -> None:
    """Fault F22."""
    session = timed()
    assert session.time_remaining_ms(70_000) == 0
    session.claim(0, no_set(session), 10_000)
    session.end(EndReason.TERMINATED, 12_000)

    assert session.time_remaining_ms(500_000) == 48_000
    assert session.player_time_remaining_ms(0, 500_000) == 28_000
    assert session.closing_ms is None


@pytest.mark.fault("F22")
def test_clock_ignores_earlier_times() -> None:
    session = timed()
    session.advance(10_000)

    assert session.time_remaining_ms(4_000) == 50_000


def test_clock_of_an_unknown_seat() -> None:
    with pytest.raises(ValueError, match="there is no seat 5"):
        timed().player_time_remaining_ms(5, 0)


def test_end_is_reported_once() -> None:
    """Faults F6 and F7: late and repeated calls return the same result."""
    session = timed()
    first = ended(session.advance(60_000)).results
    later = [session.advance(60_000), session.end(EndReason.TERMINATED, 70_000), session.forfeit([0], 80_000)]

    assert later == [[], [], []]
    assert session.results == first


def test_clock_is_checked_before_a_simultaneous_expansion() -> None:
    session = running(stuck_after_claim().deck.order, time_limit_seconds=1)
    session.claim(0, (0, 1, 2), 300)
    assert session.wake_ms == session.closing_ms == session.locked_until_ms == 1_000

    assert ended(session.advance(1_000)).results.reason is EndReason.TIME_UP
    assert len(session.board.slots) == 12


def test_deadlines_cover_every_phase_but_only_events_wake() -> None:
    session = running(time_limit_seconds=60)
    session.claim(0, a_set(session), 1_000)
    deadlines = []
    while (due := session.deadline_ms) is not None:
        deadlines.append((due, session.wake_ms, len(session.advance(due))))

    assert deadlines == [(1_400, 60_000, 0), (1_700, 60_000, 0), (60_000, 60_000, 1)]


def test_deadlines_of_an_expansion() -> None:
    session = running(GROWS_ONCE)

    assert (session.deadline_ms, session.wake_ms) == (150, None)


def test_every_invalid_claim_counts_and_costs() -> None:
    session = running(time_limit_seconds=60, penalty=Penalty.TIME)
    for now_ms in (1_000, 2_000, 3_000):
        session.claim(1, no_set(session), now_ms)

    assert session.players[1].invalid_attempts == 3
    assert session.players[1].penalty_ms == 15_000
    assert session.player_time_remaining_ms(1, 3_000) == 42_000
