"""How a game ends: the reasons, the ranking and who wins."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from set_core.options import MatchOptions
from set_core.state import PlayerState, SessionState


class EndReason(StrEnum):
    """Why a game ended (rules, "End conditions" and "Disconnects and forfeits"; DESIGN section 5)."""

    DECK_EXHAUSTED = "DECK_EXHAUSTED"
    """No Set on the board and fewer than three cards left to deal."""
    NO_SET_ON_FULL_BOARD = "NO_SET_ON_FULL_BOARD"
    """No Set on a board of 21 slots, which cannot grow (decision D10)."""
    TIME_UP = "TIME_UP"
    """A clock ran out by itself."""
    CLOCK_PENALTY = "CLOCK_PENALTY"
    """A time penalty used up its player's clock (decision D7)."""
    LAST_PLAYER_STANDING = "LAST_PLAYER_STANDING"
    """Everybody else forfeited."""
    ABANDONED = "ABANDONED"
    """No human is left."""
    TERMINATED = "TERMINATED"
    """Ended from outside."""


_WITHOUT_WINNER: Final = frozenset({EndReason.ABANDONED, EndReason.TERMINATED})


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the ranking."""

    rank: int
    """The place, from 1; equal players share one, and as many places are left out after it (1, 1, 3)."""
    seat: int
    """Whose."""


@dataclass(frozen=True, slots=True)
class Results:
    """How a game ended (decision D6)."""

    reason: EndReason
    """Why."""
    winner_seat: int | None
    """Who won; None on a draw or when nobody did. Seat 0 is a winner too."""
    draw: bool
    """Whether two or more share the first place."""
    standings: tuple[Standing, ...]
    """Everybody, best first, equal ones by seat."""
    duration_ms: int
    """From the deal to the end, in milliseconds; 0 if there was no deal."""


def ranked(reason: EndReason, options: MatchOptions, state: SessionState) -> Results:
    """The results of a game that ended like this."""
    standings = rank(state.players, tie_break_fewest_invalid=options.tie_break_fewest_invalid)
    first = [] if reason in _WITHOUT_WINNER else _first_seats(standings, state.players)
    return Results(
        reason=reason,
        winner_seat=first[0] if len(first) == 1 else None,
        draw=len(first) > 1,
        standings=standings,
        duration_ms=state.ended_ms - state.started_ms if state.is_started else 0,
    )


def rank(players: Sequence[PlayerState], *, tie_break_fewest_invalid: bool) -> tuple[Standing, ...]:
    """Best first: the forfeited last, most Sets, then, if chosen, fewest invalid claims (decision D6)."""

    def key(seat: int) -> tuple[bool, int, int]:
        player = players[seat]
        return player.forfeited, -player.sets_collected, player.invalid_attempts * tie_break_fewest_invalid

    keys = sorted(key(seat) for seat in range(len(players)))
    order = sorted(range(len(players)), key=key)
    return tuple(Standing(rank=1 + keys.index(key(seat)), seat=seat) for seat in order)


def _first_seats(standings: Sequence[Standing], players: Sequence[PlayerState]) -> list[int]:
    return [line.seat for line in standings if line.rank == 1 and not players[line.seat].forfeited]
