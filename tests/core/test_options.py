from dataclasses import FrozenInstanceError, fields
from itertools import product
from typing import Any

import pytest

from set_core import (
    AnimationMs,
    BotLevel,
    ClaimOrder,
    MatchOptions,
    Mode,
    OptionsError,
    Penalty,
    checked_options,
)

ONE_BOT = (BotLevel.EASY,)
TWO_NAMES = ("Ada", "Bob")


def options_error(**given: Any) -> OptionsError:
    with pytest.raises(OptionsError) as caught:
        checked_options(**given)
    assert str(caught.value).startswith(caught.value.field)
    assert "\n" not in str(caught.value)
    return caught.value


def test_defaults_match_the_design() -> None:
    options = MatchOptions()

    assert (options.mode, options.max_players, options.min_players) == (Mode.ONLINE, 2, 2)
    assert (options.time_limit_seconds, options.penalty, options.time_penalty_seconds) == (0, Penalty.NONE, 5)
    assert (options.tie_break_fewest_invalid, options.penalize_stale_claims) == (False, True)
    assert options.reconnect_window_seconds == 30
    assert options.animation_ms == AnimationMs(valid_set=400, refill=300, invalid_set=400, expand_board=150)
    assert (options.bots, options.local_players, options.allow_spectators) == ((), (), True)
    assert (options.hints, options.claim_order, options.seed) == (False, ClaimOrder.TICK, 0)
    assert checked_options() == options


@pytest.mark.parametrize(
    ("given", "seats", "needed"),
    [
        ({}, 2, 2),
        ({"max_players": 1}, 1, 1),
        ({"max_players": 5}, 5, 2),
        ({"max_players": 5, "min_players": 4}, 5, 4),
        ({"mode": Mode.SINGLE_PLAYER}, 1, 1),
        ({"mode": Mode.SINGLE_PLAYER, "bots": ONE_BOT * 7}, 8, 8),
        ({"mode": Mode.PASS_AND_PLAY, "local_players": TWO_NAMES}, 2, 2),
        ({"mode": Mode.PASS_AND_PLAY, "local_players": TWO_NAMES, "bots": ONE_BOT}, 3, 3),
        ({"mode": Mode.PASS_AND_PLAY, "local_players": TWO_NAMES, "min_players": 1}, 2, 1),
        ({"mode": Mode.DAILY_CHALLENGE}, 1, 1),
    ],
)
def test_omitted_seat_counts_follow_from_the_mode(given: Any, seats: int, needed: int) -> None:
    options = checked_options(**given)

    assert (options.max_players, options.min_players) == (seats, needed)


def test_human_seats_are_seats_without_a_bot() -> None:
    assert checked_options(max_players=5, bots=ONE_BOT * 2).human_seats == 3


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("max_players", 1, 8),
        ("time_limit_seconds", 0, 86_400),
        ("time_penalty_seconds", 1, 3_600),
        ("reconnect_window_seconds", 0, 3_600),
    ],
)
def test_range_limits_are_inclusive(name: str, low: int, high: int) -> None:
    given: Any = ({name: low}, {name: high})
    timed: Any = {"penalty": Penalty.TIME, "time_limit_seconds": 60} if "penalty" in name else {}
    assert [getattr(checked_options(**timed, **one), name) for one in given] == [low, high]
    for beyond in (low - 1, high + 1):
        assert f"is {beyond}: allowed are the integers {low}..{high}" in str(options_error(**{name: beyond}))


@pytest.mark.parametrize("needed", [0, 4, 9])
def test_min_players_is_between_one_and_max_players(needed: int) -> None:
    assert options_error(max_players=3, min_players=needed).field == "minPlayers"


NO_INT: list[Any] = [True, 1.0, "1", None, []]
NO_SWITCH: list[Any] = [1, 0, "yes", None]
WRONG_TYPES: list[tuple[str, Any]] = [
    *product(["max_players", "min_players", "seed", "time_limit_seconds", "time_penalty_seconds"], NO_INT),
    *product(["hints", "allow_spectators", "penalize_stale_claims"], NO_SWITCH),
    ("mode", "SOLO"),
    ("mode", 1),
    ("penalty", "POINTS"),
    ("penalty", None),
    ("animation_ms", {"refill": 1}),
    ("animation_ms", None),
    ("bots", "EASY"),
    ("bots", [BotLevel.EASY]),
    ("bots", ("EASIER",)),
    ("bots", None),
    ("bots", 1),
    ("local_players", "Ada"),
    ("local_players", (1,)),
    ("local_players", None),
    ("reconnect_window_seconds", False),
    ("tie_break_fewest_invalid", "false"),
]


@pytest.mark.parametrize(("name", "bad"), WRONG_TYPES)
def test_wrong_type_is_rejected_with_the_option_name(name: str, bad: object) -> None:
    first, *rest = name.split("_")

    error = options_error(**{name: bad})

    assert error.field == first + "".join(word.title() for word in rest)
    assert f"is {bad!r}" in str(error)
    assert "allowed" in str(error)


@pytest.mark.parametrize("name", [part.name for part in fields(AnimationMs)])
def test_animations_last_up_to_ten_seconds(name: str) -> None:
    for length in (0, 10_000):
        options = checked_options(animation_ms=AnimationMs(**{name: length}))
        assert getattr(options.animation_ms, name) == length
    for bad in (-1, 10_001, True, 1.5, "1"):
        error = options_error(animation_ms=AnimationMs(**{name: bad}))  # type: ignore[arg-type]
        assert "allowed are the integers 0..10000" in str(error)
        assert error.field.startswith("animationMs.")


def test_animation_errors_use_the_json_name() -> None:
    assert options_error(animation_ms=AnimationMs(valid_set=-1)).field == "animationMs.validSet"


def test_seven_bots_and_one_human_are_allowed() -> None:
    assert checked_options(max_players=8, bots=ONE_BOT * 7).human_seats == 1


def test_too_many_bots_are_reported_before_seat_errors() -> None:
    assert options_error(mode=Mode.SINGLE_PLAYER, bots=ONE_BOT * 8).field == "bots"


def test_time_penalty_is_allowed_with_a_clock() -> None:
    assert checked_options(penalty=Penalty.TIME, time_limit_seconds=1).penalty is Penalty.TIME


@pytest.mark.parametrize(
    ("given", "seats"),
    [
        ({"mode": Mode.SINGLE_PLAYER, "bots": ONE_BOT}, 2),
        ({"mode": Mode.PASS_AND_PLAY, "local_players": TWO_NAMES}, 2),
        ({"mode": Mode.DAILY_CHALLENGE}, 1),
    ],
)
def test_other_modes_fix_the_number_of_seats(given: Any, seats: int) -> None:
    assert checked_options(**given, max_players=seats).max_players == seats
    for other in (seats - 1 or 7, seats + 1):
        error = options_error(**given, max_players=other)
        assert error.field == "maxPlayers"
        assert str(error).endswith(f"it is {seats}")


@pytest.mark.parametrize(
    "names", [(), ("",), ("x" * 33,), ("Ada", "Ada"), tuple(f"p{place}" for place in range(9))]
)
def test_local_players_are_one_to_eight_distinct_names(names: tuple[str, ...]) -> None:
    assert options_error(mode=Mode.PASS_AND_PLAY, local_players=names).field == "localPlayers"


@pytest.mark.parametrize("mode", [Mode.ONLINE, Mode.SINGLE_PLAYER, Mode.DAILY_CHALLENGE])
def test_local_players_need_pass_and_play(mode: Mode) -> None:
    assert options_error(mode=mode, local_players=("Ada",)).field == "localPlayers"


def test_daily_challenge_allows_no_bots() -> None:
    assert options_error(mode=Mode.DAILY_CHALLENGE, bots=ONE_BOT).field == "bots"


@pytest.mark.parametrize(
    ("mode", "allowed"),
    [
        (Mode.ONLINE, False),
        (Mode.SINGLE_PLAYER, True),
        (Mode.PASS_AND_PLAY, False),
        (Mode.DAILY_CHALLENGE, True),
    ],
)
def test_hints_are_allowed_only_without_opponents(mode: Mode, allowed: bool) -> None:  # noqa: FBT001 - a parameter column
    names = TWO_NAMES if mode is Mode.PASS_AND_PLAY else ()
    if allowed:
        assert checked_options(mode=mode, hints=True).hints
    else:
        assert options_error(mode=mode, local_players=names, hints=True).field == "hints"


@pytest.mark.parametrize("mode", [Mode.SINGLE_PLAYER, Mode.PASS_AND_PLAY])
def test_seed_is_allowed_in_local_modes(mode: Mode) -> None:
    names = TWO_NAMES if mode is Mode.PASS_AND_PLAY else ()

    assert checked_options(mode=mode, local_players=names, seed=2**31 - 1).seed == 2**31 - 1


@pytest.mark.parametrize("seed", [-1, 2**31])
def test_seed_out_of_range_is_rejected(seed: int) -> None:
    assert options_error(mode=Mode.SINGLE_PLAYER, seed=seed).field == "seed"


def test_seed_online_is_allowed_with_the_permission() -> None:
    assert checked_options(seed=5, allow_seed=True).seed == 5


def test_seed_permission_is_not_stored() -> None:
    options = checked_options(seed=5, allow_seed=True)

    assert "allow_seed" not in {part.name for part in fields(options)}


def test_daily_challenge_never_accepts_a_seed() -> None:
    assert options_error(mode=Mode.DAILY_CHALLENGE, seed=5, allow_seed=True).field == "seed"


def test_unknown_name_is_rejected() -> None:
    error = options_error(max_player=3)

    assert error.field == "maxPlayer"
    assert "maxPlayers" in str(error)


def test_long_value_is_shortened_in_the_error() -> None:
    assert len(str(options_error(mode="x" * 10_000))) < 200
    assert f"is '{'x' * 62}': allowed" in str(options_error(mode="x" * 62))
    assert f"is '{'x' * 63}...: allowed" in str(options_error(mode="x" * 63))


def test_options_are_immutable() -> None:
    with pytest.raises(FrozenInstanceError):
        MatchOptions().seed = 1  # type: ignore[misc]
