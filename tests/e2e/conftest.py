"""Fixtures for the tests of modes: matches that run in the background of all tests of this folder."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from demo.client import messages as wire
from demo.client.vocabulary import Op
from tests.e2e.matches import INSTANT, LOCAL, ONLINE, SINGLE, StartedMatch, start_match
from tests.support.clients import Room, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.client.player import Player
    from demo.stack.native import NativeStack

RUN_LAST = ("test_observability.py", "test_long_waits.py", "test_records.py")
"""Files that check what earlier tests left, or what takes long; Nakama updates some metrics every 15 s."""

LEVELS = ("EASY", "MEDIUM", "HARD")
BOT_GAME_S = 30
ONE_BOT: Final[dict[str, dict[str, Any]]] = {
    mode: {"bots": [{"level": "HARD"}], **({"maxPlayers": 2} if mode == ONLINE else {})}
    for mode in (ONLINE, SINGLE, LOCAL)
}
ENDED_MATCHES = "+label.phase:MATCH_END"
SYNC_WITHIN_S = 1.0


class LongMatches(NamedTuple):
    """Matches that take long, started before the first test of this folder.

    Attributes:
        alone: One player in a match of two.
        two_of_three: Two players in a match of three.
        empty: The id of a match without players.
        against_bots: A player against one bot of each level.
        ended_for_ms: How long a match without leaves still answered after its end.
        with_a_bot: A match with one bot, by mode.
    """

    alone: Player
    two_of_three: list[Player]
    empty: str
    against_bots: Player
    ended_for_ms: Future[int]
    with_a_bot: dict[str, StartedMatch]


@pytest.fixture(scope="session")
def long_matches(stack: NativeStack) -> Iterator[LongMatches]:
    """Start the matches that take long, once for the run."""
    with ThreadPoolExecutor(1) as pool, ExitStack() as cleanup:
        room = Room(stack, cleanup)
        three = room.match(maxPlayers=3, animationMs=INSTANT)
        bots = {
            "mode": SINGLE,
            "timeLimitSeconds": BOT_GAME_S,
            "bots": [{"level": level} for level in LEVELS],
        }
        yield LongMatches(
            alone=room.sit(room.match(animationMs=INSTANT)),
            two_of_three=[room.sit(three), room.sit(three)],
            empty=room.match(animationMs=INSTANT),
            against_bots=room.sit(room.match(animationMs=INSTANT, **bots)),
            ended_for_ms=pool.submit(measure_time_after_end, room.two(timeLimitSeconds=1)[0]),
            with_a_bot={mode: start_match(room, mode, **ONE_BOT[mode]) for mode in ONE_BOT},
        )


def measure_time_after_end(player: Player) -> int:
    """Return for how many milliseconds after its end a match without leaves still answers."""
    player.wait_for(wire.MatchEnded)
    ended_ms = player.sync().now_ms
    clock = [ended_ms]

    def is_listed() -> bool:
        return any(match["match_id"] == player.match_id for match in player.client.matches(ENDED_MATCHES))

    def is_gone() -> bool:
        if not is_listed():
            return True
        clock.append(match_clock_ms(player) or clock[-1])
        return False

    wait_until(is_listed)
    wait_until(is_gone)
    return clock[-1] - ended_ms


def match_clock_ms(player: Player) -> int | None:
    """Return the match clock, or None if the match does not answer."""
    player.send(Op.SYNC, {})
    with suppress(TimeoutError):
        while not isinstance(message := player.receive(SYNC_WITHIN_S), wire.Snapshot):
            pass
        return message.now_ms
    return None


@pytest.fixture
def room(room: Room, long_matches: LongMatches) -> Room:
    """The room of all folders; its first use starts `long_matches`."""
    assert long_matches.empty
    return room


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the files of RUN_LAST to the end of the run."""
    items.sort(key=lambda item: item.path.name in RUN_LAST)
