"""What `MatchOptions` refuses, and why: types and ranges first, then what does not go together."""

from typing import TYPE_CHECKING, Final

from set_core.choices import AnimationMs, BotLevel, Mode, Penalty
from set_core.option_errors import require, require_int

if TYPE_CHECKING:
    from set_core.options import MatchOptions

MOST_SEATS: Final = 8
"""How many players a match can have, bots included."""
_LONGEST_NAME: Final = 32

_RANGES: Final = {
    "max_players": (1, MOST_SEATS),
    "min_players": (1, MOST_SEATS),
    "time_limit_seconds": (0, 86_400),
    "time_penalty_seconds": (1, 3_600),
    "reconnect_window_seconds": (0, 3_600),
    "seed": (0, 2**31 - 1),
}
_KINDS: Final = {"mode": Mode, "penalty": Penalty, "animation_ms": AnimationMs}
_SWITCHES: Final = ("tie_break_fewest_invalid", "penalize_stale_claims", "allow_spectators", "hints")
_PRACTICE: Final = frozenset({Mode.SINGLE_PLAYER, Mode.DAILY_CHALLENGE})
_LOCAL: Final = frozenset({Mode.SINGLE_PLAYER, Mode.PASS_AND_PLAY})


def check_options(options: "MatchOptions", *, allow_seed: bool) -> None:
    """Refuse options that cannot be; `allow_seed` lifts the ban on a seed in ONLINE.

    Raises:
        OptionsError: the first that is wrong, types and ranges before what does not go together.
    """
    _check_kinds(options)
    # Before the ranges: the number of seats may follow from bots and names, and then they are what is wrong.
    _check_bots(options)
    _check_local_players(options)
    _check_ranges(options)
    _check_seats(options)
    _check_time_penalty(options)
    _check_hints(options)
    _check_seed(options, allow_seed=allow_seed)


def _check_kinds(options: "MatchOptions") -> None:
    for name, kind in _KINDS.items():
        value = getattr(options, name)
        require(isinstance(value, kind), name, value, _allowed(kind))
    for name in _SWITCHES:
        value = getattr(options, name)
        require(isinstance(value, bool), name, value, "allowed are true and false")


def _allowed(kind: type[Mode | Penalty | BotLevel | AnimationMs]) -> str:
    if issubclass(kind, AnimationMs):
        return "allowed is an object of milliseconds"
    return f"allowed are {', '.join(kind)}"


def _check_ranges(options: "MatchOptions") -> None:
    for name, (low, high) in _RANGES.items():
        require_int(name, getattr(options, name), low, high)


def _check_bots(options: "MatchOptions") -> None:
    bots = options.bots
    well_formed = isinstance(bots, tuple) and all(isinstance(level, BotLevel) for level in bots)
    require(well_formed, "bots", bots, f"allowed is a list of {', '.join(BotLevel)}")
    require(len(bots) < MOST_SEATS, "bots", len(bots), f"allowed are at most {MOST_SEATS - 1}")


def _check_local_players(options: "MatchOptions") -> None:
    names = options.local_players
    well_formed = isinstance(names, tuple) and all(
        isinstance(name, str) and 1 <= len(name) <= _LONGEST_NAME for name in names
    )
    require(well_formed, "local_players", names, f"allowed are names of 1..{_LONGEST_NAME} characters")
    require(len(set(names)) == len(names), "local_players", names, "every name may be there once")
    if options.mode is Mode.PASS_AND_PLAY:
        require(1 <= len(names) <= MOST_SEATS, "local_players", names, f"allowed are 1..{MOST_SEATS} names")
    else:
        require(not names, "local_players", names, "allowed in PASS_AND_PLAY only")


def _check_seats(options: "MatchOptions") -> None:
    seats, bots = options.max_players, len(options.bots)
    fixed = fixed_seats(options.mode, bots, len(options.local_players))
    require(
        fixed in {None, seats}, "max_players", seats, f"with this mode, bots and local players it is {fixed}"
    )
    require(
        options.min_players <= seats,
        "min_players",
        options.min_players,
        f"allowed are the integers 1..{seats}, up to maxPlayers",
    )
    require(bots < seats, "bots", bots, f"of {seats} seats one must stay for a human")


def fixed_seats(mode: Mode, bots: int, local_players: int) -> int | None:
    """How many seats the mode leaves no choice but to have, bots included; None if it leaves one."""
    if mode == Mode.SINGLE_PLAYER:
        return 1 + bots
    if mode == Mode.PASS_AND_PLAY:
        return local_players + bots
    return 1 if mode == Mode.DAILY_CHALLENGE else None


def _check_time_penalty(options: "MatchOptions") -> None:
    possible = options.penalty is not Penalty.TIME or options.time_limit_seconds > 0
    require(possible, "penalty", options.penalty, "needs timeLimitSeconds above 0")


def _check_hints(options: "MatchOptions") -> None:
    possible = not options.hints or options.mode in _PRACTICE
    require(possible, "hints", options.hints, "allowed in SINGLE_PLAYER and DAILY_CHALLENGE only")


def _check_seed(options: "MatchOptions", *, allow_seed: bool) -> None:
    free = options.mode in _LOCAL or (allow_seed and options.mode is Mode.ONLINE)
    require(
        not options.seed or free, "seed", options.seed, f"not allowed in {options.mode}; leave it out or 0"
    )
