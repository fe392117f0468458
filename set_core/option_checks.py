"""Options for a new match: defaults, validation and normalization."""

from collections.abc import Mapping
from dataclasses import fields, replace
from enum import EnumType
from typing import Any, Final

from set_core.choices import AnimationMs, BotLevel, Mode, Penalty
from set_core.option_errors import OptionsError, json_name, require, require_int
from set_core.options import MatchOptions
from set_core.text import comparable, text_problem

MOST_SEATS: Final = 8
"""The maximum number of players in a match, including bots."""
_MAX_NAME_LENGTH: Final = 32
_MAX_ANIMATION_MS: Final = 10_000

_RANGES: Final = {
    "max_players": (1, MOST_SEATS),
    "min_players": (1, MOST_SEATS),
    "time_limit_seconds": (0, 86_400),
    "time_penalty_seconds": (1, 3_600),
    "reconnect_window_seconds": (0, 3_600),
    "seed": (0, 2**31 - 1),
}
_TYPES: Final[dict[str, Any]] = {option.name: option.type for option in fields(MatchOptions)}
_MODES_WITH_HINTS: Final = frozenset({Mode.SINGLE_PLAYER, Mode.DAILY_CHALLENGE})
_MODES_WITH_SEED: Final = frozenset({Mode.SINGLE_PLAYER, Mode.PASS_AND_PLAY})


def checked_options(*, allow_seed: bool = False, **given: object) -> MatchOptions:
    """Return complete and valid options for a new match; options with the same effect are equal.

    Args:
        allow_seed: whether `seed` is allowed in mode ONLINE.
        given: any fields of `MatchOptions`; the others get their defaults (`completed_options`).

    Raises:
        OptionsError: the first problem: an unknown name, then types and ranges, then options that exclude
            each other.
    """
    for name in sorted(given.keys() - _TYPES.keys()):
        allowed = ", ".join(map(json_name, _TYPES))
        raise OptionsError(json_name(name), f"{json_name(name)} is not an option: allowed are {allowed}")
    options = completed_options(given)
    _check_options(options, allow_seed=allow_seed)
    return _normalize(options)


def completed_options(given: Mapping[str, Any]) -> MatchOptions:
    """Return options with defaults for the absent fields, without validation.

    By default, a match in mode ONLINE has 2 seats and starts with min(2, seats) players. In the other modes
    the number of seats depends on bots and local players, and a start needs all of them.
    """
    fixed = fixed_seats(
        given.get("mode", Mode.ONLINE), _length(given, "bots"), _length(given, "local_players")
    )
    seats = given.get("max_players", fixed or 2)
    min_players = min(2, seats) if fixed is None and isinstance(seats, int) else seats
    return MatchOptions(**{"max_players": seats, "min_players": min_players, **given})


def _length(given: Mapping[str, Any], name: str) -> int:
    """Return the length of a tuple option; 0 for another type, which `_check_options` rejects."""
    value = given.get(name)
    return len(value) if isinstance(value, tuple) else 0


def _normalize(options: MatchOptions) -> MatchOptions:
    """Return the normal form of the options: options with the same effect share their open matches."""
    time_penalty_seconds = MatchOptions().time_penalty_seconds
    if options.penalty is Penalty.TIME:
        time_penalty_seconds = options.time_penalty_seconds
    return replace(
        options,
        bots=tuple(sorted(options.bots, key=list(BotLevel).index)),
        # A game needs a person as well as its bots.
        min_players=max(options.min_players, len(options.bots) + 1),
        time_penalty_seconds=time_penalty_seconds,
    )


def _check_options(options: MatchOptions, *, allow_seed: bool) -> None:
    _check_types(options)
    # Before the ranges: if the number of seats depends on bots and names, the error must name those options.
    _check_bots(options)
    _check_local_players(options)
    _check_ranges(options)
    _check_seats(options)
    _check_time_penalty(options)
    _check_hints(options)
    _check_private(options)
    _check_seed(options, allow_seed=allow_seed)


def _check_types(options: MatchOptions) -> None:
    for name, kind in _TYPES.items():
        allowed = _allowed(kind)
        if allowed is not None:
            value = getattr(options, name)
            require(isinstance(value, kind), name, value, allowed)


def _allowed(kind: object) -> str | None:
    """Return the allowed values of a type; None for numbers and tuples, which have checks of their own."""
    if isinstance(kind, EnumType):
        return f"allowed are {', '.join(map(str, kind))}"
    if kind is AnimationMs:
        return "allowed is an object of milliseconds"
    return "allowed are true and false" if kind is bool else None


def _check_ranges(options: MatchOptions) -> None:
    for name, (low, high) in _RANGES.items():
        require_int(name, getattr(options, name), low, high)
    for part in fields(AnimationMs):
        require_int(
            f"animation_ms.{part.name}", getattr(options.animation_ms, part.name), 0, _MAX_ANIMATION_MS
        )


def _check_bots(options: MatchOptions) -> None:
    bots = options.bots
    well_formed = isinstance(bots, tuple) and all(isinstance(level, BotLevel) for level in bots)
    require(well_formed, "bots", bots, f"allowed is a list of {', '.join(BotLevel)}")
    require(len(bots) < MOST_SEATS, "bots", len(bots), f"allowed are at most {MOST_SEATS - 1}")


def _check_local_players(options: MatchOptions) -> None:
    names = options.local_players
    well_formed = isinstance(names, tuple) and all(isinstance(name, str) for name in names)
    require(well_formed, "local_players", names, f"allowed are names of 1..{_MAX_NAME_LENGTH} characters")
    for name in names:
        problem = text_problem(name, _MAX_NAME_LENGTH)
        require(problem is None, "local_players", name, problem or "")
    distinct = {comparable(name) for name in names}
    require(len(distinct) == len(names), "local_players", names, "allowed are names that look different")
    if options.mode is Mode.PASS_AND_PLAY:
        require(1 <= len(names) <= MOST_SEATS, "local_players", names, f"allowed are 1..{MOST_SEATS} names")
    else:
        require(not names, "local_players", names, "allowed in PASS_AND_PLAY only")


def _check_seats(options: MatchOptions) -> None:
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
    """Return the number of seats that the mode requires, including bots; None if it can be chosen."""
    if mode == Mode.SINGLE_PLAYER:
        return 1 + bots
    if mode == Mode.PASS_AND_PLAY:
        return local_players + bots
    return 1 if mode == Mode.DAILY_CHALLENGE else None


def _check_time_penalty(options: MatchOptions) -> None:
    allowed = options.penalty is not Penalty.TIME or options.time_limit_seconds > 0
    require(allowed, "penalty", options.penalty, "needs timeLimitSeconds above 0")


def _check_hints(options: MatchOptions) -> None:
    allowed = not options.hints or options.mode in _MODES_WITH_HINTS
    require(allowed, "hints", options.hints, "allowed in SINGLE_PLAYER and DAILY_CHALLENGE only")


def _check_private(options: MatchOptions) -> None:
    allowed = not options.private or options.mode is Mode.ONLINE
    require(allowed, "private", options.private, "allowed in ONLINE only")


def _check_seed(options: MatchOptions, *, allow_seed: bool) -> None:
    allowed = options.mode in _MODES_WITH_SEED or (allow_seed and options.mode is Mode.ONLINE)
    require(
        not options.seed or allowed, "seed", options.seed, f"not allowed in {options.mode}; leave it out or 0"
    )
