"""How a match is played: `MatchOptions`, checked when made, with defaults that follow from the mode."""

from dataclasses import InitVar, dataclass, field
from typing import Self, TypedDict, Unpack

from set_core.choices import AnimationMs, BotLevel, Mode, Penalty
from set_core.option_checks import check_options, fixed_seats
from set_core.option_errors import OptionsError, json_name

__all__ = ["AnimationMs", "BotLevel", "GivenOptions", "MatchOptions", "Mode", "OptionsError", "Penalty"]


class GivenOptions(TypedDict, total=False):
    """The fields of `MatchOptions`, any of which `MatchOptions.of` lets you leave out."""

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
    seed: int


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """How a match is played (DESIGN section 6).

    Args:
        allow_seed: lets ONLINE have a seed; a right of whoever makes the options, and not kept.

    Raises:
        OptionsError: a value of the wrong type, out of its range, or at odds with another.
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
    seed: int = 0
    """The deck's seed: 0..2147483647, 0 for none. Not in DAILY_CHALLENGE, in ONLINE if `allow_seed`."""
    allow_seed: InitVar[bool] = False

    def __post_init__(self, allow_seed: bool) -> None:
        check_options(self, allow_seed=allow_seed)

    @classmethod
    def of(cls, *, allow_seed: bool = False, **given: Unpack[GivenOptions]) -> Self:
        """Options with the seats that were left out filled in by mode, and everything else by its default.

        ONLINE has 2 seats and starts with min(2, seats). In the other modes the number of seats follows from
        bots and local players, and all are needed to start.

        Raises:
            OptionsError: as the constructor; also a name that is no option.
        """
        for name in sorted(given.keys() - GivenOptions.__annotations__.keys()):
            allowed = ", ".join(json_name(known) for known in GivenOptions.__annotations__)
            raise OptionsError(json_name(name), f"{json_name(name)} is not an option: allowed are {allowed}")
        return cls(**_with_seats(given), allow_seed=allow_seed)

    @property
    def human_seats(self) -> int:
        """How many seats are not played by the service."""
        return self.max_players - len(self.bots)


def _with_seats(given: GivenOptions) -> GivenOptions:
    fixed = fixed_seats(
        given.get("mode", Mode.ONLINE), _length(given, "bots"), _length(given, "local_players")
    )
    seats = given.get("max_players", fixed or 2)
    needed = min(2, seats) if fixed is None and isinstance(seats, int) else seats
    return {"max_players": seats, "min_players": needed, **given}


def _length(given: GivenOptions, name: str) -> int:
    """The length of a given tuple; what is not a tuple is refused later."""
    value = given.get(name)
    return len(value) if isinstance(value, tuple) else 0
