"""Penalties of invalid and stale claims, and tie-breakers, in every mode."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.vocabulary import End, Reason
from tests.e2e.matches import DAILY, ENDED_BY_PENALTY, LOCAL, ONLINE, SINGLE, each_mode, start_match

if TYPE_CHECKING:
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

TIME_PENALTY_S = 7


def scores(result: wire.ClaimResult) -> tuple[int, int, int]:
    """Return the score delta, the score and the number of invalid claims."""
    return (result.score_delta, result.player.score, result.player.invalid_attempts)


@each_mode("penalty NONE")
def test_invalid_claim_without_penalty_costs_nothing(room: Room, mode: str) -> None:
    seat = start_match(room, mode).seats[0]
    assert scores(seat.take_set()) == (1, 1, 0)
    assert scores(seat.claim_non_set()) == (0, 1, 1)


@pytest.mark.fault("F23")
@each_mode("penalty POINT")
def test_point_penalty_never_makes_the_score_negative(room: Room, mode: str) -> None:
    seat = start_match(room, mode, penalty="POINT").seats[0]
    assert scores(seat.claim_non_set()) == (0, 0, 1)
    assert scores(seat.take_set()) == (1, 1, 1)
    assert scores(seat.claim_non_set()) == (-1, 0, 2)
    assert scores(seat.claim_non_set()) == (0, 0, 3)


@each_mode("penalty TIME")
def test_time_penalty_reduces_only_the_clock_of_the_claimant(room: Room, mode: str) -> None:
    match = start_match(room, mode, **{**ENDED_BY_PENALTY, "timePenaltySeconds": TIME_PENALTY_S})
    match.seats[0].claim_non_set()
    snapshot = match.first.sync()
    clocks = [player.time_remaining_ms for player in snapshot.players]
    assert snapshot.time_remaining_ms is not None
    assert clocks[0] == snapshot.time_remaining_ms - 1000 * TIME_PENALTY_S
    assert clocks[1:] == [snapshot.time_remaining_ms] * (len(clocks) - 1)


@each_mode("penalty TIME")
def test_empty_clock_ends_the_game_for_all(room: Room, mode: str) -> None:
    match = start_match(room, mode, **ENDED_BY_PENALTY)
    match.seats[0].claim_non_set()
    for ended in match.wait_for(wire.MatchEnded):
        assert ended.reason == End.CLOCK_PENALTY
        assert ended.standings[0].player.time_remaining_ms is not None
        assert min(line.player.time_remaining_ms or 0 for line in ended.standings) == 0


@pytest.mark.fault("F18")
@each_mode("tie-breaker", ONLINE, LOCAL)
@pytest.mark.parametrize("tie_break", [False, True])
def test_equal_sets_are_a_draw_without_tie_breaker(room: Room, mode: str, *, tie_break: bool) -> None:
    match = start_match(room, mode, tieBreakFewestInvalid=tie_break, **ENDED_BY_PENALTY)
    one, other = match.seats
    one.take_set()
    other.take_set()
    one.claim_non_set()
    ended = other.player.wait_for(wire.MatchEnded)
    assert (ended.draw, ended.winner_seat) == ((False, other.number) if tie_break else (True, None))


@each_mode("tie-breaker", SINGLE)
@pytest.mark.parametrize("tie_break", [False, True])
def test_idle_bot_wins_by_tie_breaker(room: Room, mode: str, *, tie_break: bool) -> None:
    bots = [{"level": "EASY"}]
    match = start_match(room, mode, bots=bots, tieBreakFewestInvalid=tie_break, **ENDED_BY_PENALTY)
    match.seats[0].claim_non_set()
    ended = match.first.wait_for(wire.MatchEnded)
    assert (ended.draw, ended.winner_seat) == ((False, 1) if tie_break else (True, None))


@each_mode("tie-breaker", DAILY)
@pytest.mark.parametrize("tie_break", [False, True])
def test_only_player_wins_with_and_without_tie_breaker(room: Room, mode: str, *, tie_break: bool) -> None:
    match = start_match(room, mode, tieBreakFewestInvalid=tie_break, **ENDED_BY_PENALTY)
    match.seats[0].claim_non_set()
    ended = match.first.wait_for(wire.MatchEnded)
    assert (ended.draw, ended.winner_seat) == (False, 0)


@pytest.mark.fault("F4", "F15")
@each_mode("stale claims")
@pytest.mark.parametrize("penalized", [True, False])
def test_stale_claim_costs_a_point_only_if_penalized(room: Room, mode: str, *, penalized: bool) -> None:
    match = start_match(room, mode, penalty="POINT", penalizeStaleClaims=penalized)
    seat = match.seats[0]
    taken = seat.take_set().card_ids
    seat.wait_until_idle()
    board = seat.player.model.board
    stale = seat.claim_result(taken)
    assert (stale.valid, stale.reason) == (False, Reason.STALE)
    assert scores(stale) == ((-1, 0, 1) if penalized else (0, 1, 0))
    seat.player.sync()
    assert seat.player.model.board == board
