"""What tests of modes share: tables that wait from the first test on, so that their minute costs no time."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from tests.modes.party import INSTANT, LOCAL, ONLINE, SINGLE, Party, party
from tests.modes.staying import stay
from tests.native.room import Room

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.player import Player
    from demo.stack import NativeStack

LAST = ("test_observability.py", "test_long_waits.py", "test_records.py")
"""Files that look at what the others left behind or waited for; some metrics of Nakama come every 15 s."""

LEVELS = ("EASY", "MEDIUM", "HARD")
BOTS_PLAY_S = 30
ONE_BOT: Final[dict[str, dict[str, Any]]] = {
    mode: {"bots": [{"level": "HARD"}], **({"maxPlayers": 2} if mode == ONLINE else {})}
    for mode in (ONLINE, SINGLE, LOCAL)
}


class Waiting(NamedTuple):
    """Players at tables that nobody completes, with bots, or whose game is over."""

    alone: Player
    two_of_three: list[Player]
    nobody: str
    against_bots: Player
    stayed_ms: Future[int]
    with_a_bot: dict[str, Party]


@pytest.fixture(scope="session")
def waiting(stack: NativeStack) -> Iterator[Waiting]:
    with ThreadPoolExecutor(1) as aside, ExitStack() as cleanup:
        room = Room(stack, cleanup)
        three = room.match(maxPlayers=3, animationMs=INSTANT)
        bots = {
            "mode": SINGLE,
            "timeLimitSeconds": BOTS_PLAY_S,
            "bots": [{"level": level} for level in LEVELS],
        }
        yield Waiting(
            alone=room.sit(room.match(animationMs=INSTANT)),
            two_of_three=[room.sit(three), room.sit(three)],
            nobody=room.match(animationMs=INSTANT),
            against_bots=room.sit(room.match(animationMs=INSTANT, **bots)),
            stayed_ms=aside.submit(stay, room.two(timeLimitSeconds=1)),
            with_a_bot={mode: party(room, mode, **ONE_BOT[mode]) for mode in ONE_BOT},
        )


@pytest.fixture
def room(room: Room, waiting: Waiting) -> Room:
    """The room of every folder; the first use of it makes the tables of `waiting`."""
    assert waiting.nobody
    return room


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name in LAST)
