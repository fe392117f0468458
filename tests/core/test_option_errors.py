"""Exact error text of every rejected option, because users correct their options from it."""

from typing import Any

import pytest

from set_core import BotLevel, Deck, Mode, OptionsError, Penalty, checked_options

EASY = BotLevel.EASY
LOCAL = Mode.PASS_AND_PLAY
NAMES = "allowed are names of 1..32 characters"
LEVELS = "allowed is a list of EASY, MEDIUM, HARD"
ALL_OPTIONS = (
    "mode, maxPlayers, minPlayers, timeLimitSeconds, penalty, timePenaltySeconds, tieBreakFewestInvalid, "
    "penalizeStaleClaims, reconnectWindowSeconds, animationMs, bots, allowSpectators, localPlayers, hints, "
    "private, claimOrder, seed"
)

ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"mode": "X"}, "mode is 'X': allowed are ONLINE, SINGLE_PLAYER, PASS_AND_PLAY, DAILY_CHALLENGE"),
    ({"penalty": "X"}, "penalty is 'X': allowed are NONE, POINT, TIME"),
    ({"claim_order": "X"}, "claimOrder is 'X': allowed are TICK, ARRIVAL"),
    ({"penalty": Penalty.TIME}, "penalty is 'TIME': needs timeLimitSeconds above 0"),
    ({"animation_ms": 5}, "animationMs is 5: allowed is an object of milliseconds"),
    ({"hints": 1}, "hints is 1: allowed are true and false"),
    ({"hints": True}, "hints is True: allowed in SINGLE_PLAYER and DAILY_CHALLENGE only"),
    ({"bots": ["EASY"]}, f"bots is ['EASY']: {LEVELS}"),
    ({"bots": ("x",)}, f"bots is ('x',): {LEVELS}"),
    ({"bots": (EASY,) * 8}, "bots is 8: allowed are at most 7"),
    ({"bots": (EASY,) * 2}, "bots is 2: of 2 seats one must stay for a human"),
    ({"mode": LOCAL, "local_players": ("a", "")}, "localPlayers is '': allowed are 1..32 characters"),
    ({"mode": LOCAL, "local_players": ["a"]}, f"localPlayers is ['a']: {NAMES}"),
    ({"mode": LOCAL, "local_players": (1,)}, f"localPlayers is (1,): {NAMES}"),
    (
        {"mode": LOCAL, "local_players": ("a", "a")},
        "localPlayers is ('a', 'a'): allowed are names that look different",
    ),
    ({"mode": LOCAL}, "localPlayers is (): allowed are 1..8 names"),
    ({"local_players": ("a",)}, "localPlayers is ('a',): allowed in PASS_AND_PLAY only"),
    (
        {"mode": Mode.SINGLE_PLAYER, "max_players": 2},
        "maxPlayers is 2: with this mode, bots and local players it is 1",
    ),
    ({"min_players": 3}, "minPlayers is 3: allowed are the integers 1..2, up to maxPlayers"),
    ({"max_players": 9}, "maxPlayers is 9: allowed are the integers 1..8"),
    ({"seed": 5}, "seed is 5: not allowed in ONLINE; leave it out or 0"),
    ({"nope": 1}, f"nope is not an option: allowed are {ALL_OPTIONS}"),
]


@pytest.mark.parametrize(("given", "words"), ERRORS)
def test_option_error_lists_the_allowed_values(given: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionsError) as caught:
        checked_options(**given)

    assert str(caught.value) == words
    assert caught.value.field == words.split(maxsplit=1)[0]


@pytest.mark.parametrize("length", [1, 32])
def test_shortest_and_longest_names_are_accepted(length: int) -> None:
    assert checked_options(mode=LOCAL, local_players=("a" * length,)).local_players == ("a" * length,)


@pytest.mark.parametrize("count", [1, 8])
def test_one_and_eight_local_players_are_accepted(count: int) -> None:
    names = tuple("abcdefgh"[:count])

    assert checked_options(mode=LOCAL, local_players=names).max_players == count


def test_deck_error_reports_a_repeated_card() -> None:
    with pytest.raises(ValueError, match=r"^a card is in the deck twice: allowed are distinct ids 0\.\.80$"):
        Deck.from_order([0, 1, 1])
