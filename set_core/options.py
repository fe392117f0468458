"""How a match is played: the options as values, with the defaults of an online match."""

from dataclasses import dataclass, field
from typing import TypedDict

from set_core.choices import AnimationMs, BotLevel, Mode, Penalty

__all__ = ["AnimationMs", "BotLevel", "GivenOptions", "MatchOptions", "Mode", "Penalty"]


class GivenOptions(TypedDict, total=False):
    """The fields of `MatchOptions`, any of which may be left out."""

    mode: Mode
    max_players: int
    min_players: int
    time_limit_seconds: int
    penalty: Penalty
    time_penalty_seconds: int
    tie_break_fewest_invalid: bool
    penalize_stale_claims: bool
    reconnect_window_seconds: int
    animation_ms: AnimationMs
    bots: tuple[BotLevel, ...]
    allow_spectators: bool
    local_players: tuple[str, ...]
    hints: bool
    private: bool
    seed: int


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """How a match is played (DESIGN section 6).

    The constructor checks nothing, so that a running match keeps options that a newer version no longer
    offers. New options come from `set_core.option_checks.checked_options`.
    """

    mode: Mode = Mode.ONLINE
    """The kind of match."""
    max_players: int = 2
    """Seats, bots included: 1..8."""
    min_players: int = 2
    """How many players a start needs: 1..max_players."""
    time_limit_seconds: int = 0
    """How long a game may last: 0..86400, 0 for no limit."""
    penalty: Penalty = Penalty.NONE
    """What an invalid claim costs; TIME needs a time limit (decision D7)."""
    time_penalty_seconds: int = 5
    """What it costs under TIME: 1..3600 seconds of the player's own clock."""
    tie_break_fewest_invalid: bool = False
    """Whether fewest invalid attempts breaks ties (rules, "Determining the winner")."""
    penalize_stale_claims: bool = True
    """Whether a claim on cards that are gone is an invalid attempt like any other (decision D2)."""
    reconnect_window_seconds: int = 30
    """How long a lost player may come back: 0..3600."""
    animation_ms: AnimationMs = field(default_factory=AnimationMs)
    """How long animations lock claims."""
    bots: tuple[BotLevel, ...] = ()
    """The seats played by the service: at most 7, and one seat stays for a human."""
    allow_spectators: bool = True
    """Whether people without a seat may watch."""
    local_players: tuple[str, ...] = ()
    """In PASS_AND_PLAY only: 1..8 distinct names of 1..32 characters."""
    hints: bool = False
    """Whether hints are given, in SINGLE_PLAYER and DAILY_CHALLENGE only."""
    private: bool = False
    """Whether a join needs an invitation; in ONLINE only."""
    seed: int = 0
    """The deck's seed: 0..2147483647, 0 for none."""

    @property
    def human_seats(self) -> int:
        """How many seats are not played by the service."""
        return self.max_players - len(self.bots)
