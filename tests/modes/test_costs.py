"""What an invalid claim costs, and what equal Sets come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.vocabulary import End, Reason
from tests.modes.party import DAILY, LOCAL, ONLINE, SINGLE, each_mode, party

if TYPE_CHECKING:
    from tests.native.room import Room

pytestmark = pytest.mark.nakama

LONG_S = 600
COST_S = 7


def told(result: wire.ClaimResult) -> tuple[int, int, int]:
    return (result.score_delta, result.player.score, result.player.invalid_attempts)


@each_mode("penalty NONE")
def test_without_a_penalty_an_invalid_claim_costs_nothing(room: Room, mode: str) -> None:
    place = party(room, mode).places[0]
    assert told(place.take_set()) == (1, 1, 0)
    assert told(place.err()) == (0, 1, 1)


@pytest.mark.fault("F23")
@each_mode("penalty POINT")
def test_a_point_penalty_takes_a_point_and_never_goes_below_zero(room: Room, mode: str) -> None:
    place = party(room, mode, penalty="POINT").places[0]
    assert told(place.err()) == (0, 0, 1)
    assert told(place.take_set()) == (1, 1, 1)
    assert told(place.err()) == (-1, 0, 2)
    assert told(place.err()) == (0, 0, 3)


@each_mode("penalty TIME")
def test_a_time_penalty_takes_time_from_the_claimants_clock_only(room: Room, mode: str) -> None:
    limits = {"timeLimitSeconds": LONG_S, "penalty": "TIME", "timePenaltySeconds": COST_S}
    seated = party(room, mode, **limits)
    seated.places[0].err()
    seen = seated.host.sync()
    clocks = [player.time_remaining_ms for player in seen.players]
    assert seen.time_remaining_ms is not None
    assert clocks[0] == seen.time_remaining_ms - 1000 * COST_S
    assert clocks[1:] == [seen.time_remaining_ms] * (len(clocks) - 1)


@each_mode("penalty TIME")
def test_a_clock_that_is_used_up_ends_the_game_for_all(room: Room, mode: str) -> None:
    limits = {"timeLimitSeconds": LONG_S, "penalty": "TIME", "timePenaltySeconds": LONG_S}
    seated = party(room, mode, **limits)
    seated.places[0].err()
    for ended in seated.everybody_hears(wire.MatchEnded):
        assert ended.reason == End.CLOCK_PENALTY
        assert ended.standings[0].player.time_remaining_ms is not None
        assert min(line.player.time_remaining_ms or 0 for line in ended.standings) == 0


@pytest.mark.fault("F18")
@each_mode("tie-breaker", ONLINE, LOCAL)
@pytest.mark.parametrize("chosen", [False, True])
def test_equal_sets_are_a_draw_unless_fewest_mistakes_decide(room: Room, mode: str, *, chosen: bool) -> None:
    limits = {"timeLimitSeconds": LONG_S, "penalty": "TIME", "timePenaltySeconds": LONG_S}
    seated = party(room, mode, tieBreakFewestInvalid=chosen, **limits)
    one, other = seated.places
    one.take_set()
    other.take_set()
    one.err()
    ended = other.player.wait_for(wire.MatchEnded)
    assert (ended.draw, ended.winner_seat) == ((False, other.seat) if chosen else (True, None))


@each_mode("tie-breaker", SINGLE)
@pytest.mark.parametrize("chosen", [False, True])
def test_a_bot_that_did_nothing_beats_an_error_if_fewest_mistakes_decide(
    room: Room, mode: str, *, chosen: bool
) -> None:
    limits = {"timeLimitSeconds": LONG_S, "penalty": "TIME", "timePenaltySeconds": LONG_S}
    seated = party(room, mode, bots=[{"level": "EASY"}], tieBreakFewestInvalid=chosen, **limits)
    seated.places[0].err()
    ended = seated.host.wait_for(wire.MatchEnded)
    assert (ended.draw, ended.winner_seat) == ((False, 1) if chosen else (True, None))


@each_mode("tie-breaker", DAILY)
@pytest.mark.parametrize("chosen", [False, True])
def test_who_plays_alone_has_nobody_to_tie_with(room: Room, mode: str, *, chosen: bool) -> None:
    limits = {"timeLimitSeconds": LONG_S, "penalty": "TIME", "timePenaltySeconds": LONG_S}
    seated = party(room, mode, tieBreakFewestInvalid=chosen, **limits)
    seated.places[0].err()
    ended = seated.host.wait_for(wire.MatchEnded)
    assert (ended.draw, ended.winner_seat) == (False, 0)


@pytest.mark.fault("F4", "F15")
@each_mode("stale claims")
@pytest.mark.parametrize("counts", [True, False])
def test_a_claim_on_cards_that_are_gone_costs_what_the_options_say(
    room: Room, mode: str, *, counts: bool
) -> None:
    seated = party(room, mode, penalty="POINT", penalizeStaleClaims=counts)
    place = seated.places[0]
    gone = place.take_set().card_ids
    place.idle()
    board = place.player.table.board
    stale = place.judged(gone)
    assert (stale.valid, stale.reason) == (False, Reason.STALE)
    assert told(stale) == ((-1, 0, 1) if counts else (0, 1, 0))
    place.player.sync()
    assert place.player.table.board == board
