"""Result of a game: end reason, ranking and winner."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from set_core.options import MatchOptions
from set_core.state import PlayerState, SessionState


class EndReason(StrEnum):
    """Why a game ended (rules R29 to R31 and R35; DESIGN section 5)."""

    DECK_EXHAUSTED = "DECK_EXHAUSTED"
    """The board has no Set and fewer than three cards are left to deal."""
    NO_SET_ON_FULL_BOARD = "NO_SET_ON_FULL_BOARD"
    """The board has no Set and has 21 slots, so it cannot be expanded (decision D10)."""
    TIME_UP = "TIME_UP"
    """A clock ran out without a new penalty."""
    CLOCK_PENALTY = "CLOCK_PENALTY"
    """A time penalty used up its player's clock (decision D7)."""
    LAST_PLAYER_STANDING = "LAST_PLAYER_STANDING"
    """All other players forfeited."""
    ABANDONED = "ABANDONED"
    """No person is left."""
    TERMINATED = "TERMINATED"
    """The server closed the match."""


_REASONS_WITHOUT_WINNER: Final = frozenset({EndReason.ABANDONED, EndReason.TERMINATED})


@dataclass(frozen=True, slots=True)
class Standing:
    """The rank of one player."""

    rank: int
    """The rank, from 1; equal players have the same rank, and the next ranks are skipped (1, 1, 3)."""
    seat: int
    """The seat of the player."""


@dataclass(frozen=True, slots=True)
class Results:
    """The result of a game (decision D6)."""

    reason: EndReason
    """Why the game ended."""
    winner_seat: int | None
    """The seat of the winner, which can be 0; None for a draw or without a winner."""
    draw: bool
    """Whether two or more players share the first rank."""
    standings: tuple[Standing, ...]
    """All players, best first; equal players by seat."""
    duration_ms: int
    """The time from the deal to the end, in milliseconds; 0 if there was no deal."""


def make_results(reason: EndReason, options: MatchOptions, state: SessionState) -> Results:
    """Return the results of a game that ended for this reason."""
    standings = rank(state.players, tie_break_fewest_invalid=options.tie_break_fewest_invalid)
    best = [] if reason in _REASONS_WITHOUT_WINNER else _seats_with_rank_1(standings, state.players)
    return Results(
        reason=reason,
        winner_seat=best[0] if len(best) == 1 else None,
        draw=len(best) > 1,
        standings=standings,
        duration_ms=state.ended_ms - state.started_ms if state.is_started else 0,
    )


def rank(players: Sequence[PlayerState], *, tie_break_fewest_invalid: bool) -> tuple[Standing, ...]:
    """Return the ranking, best first (decision D6).

    Players who forfeited are last. The order is by Sets, most first, and optionally by invalid claims, fewest
    first.
    """

    def key(seat: int) -> tuple[bool, int, int]:
        player = players[seat]
        return player.forfeited, -player.sets_collected, player.invalid_attempts * tie_break_fewest_invalid

    keys = sorted(key(seat) for seat in range(len(players)))
    order = sorted(range(len(players)), key=key)
    return tuple(Standing(rank=1 + keys.index(key(seat)), seat=seat) for seat in order)


def _seats_with_rank_1(standings: Sequence[Standing], players: Sequence[PlayerState]) -> list[int]:
    return [line.seat for line in standings if line.rank == 1 and not players[line.seat].forfeited]
