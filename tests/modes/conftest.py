"""What tests of modes share: tables that wait from the first test on, so that their minute costs no time."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.modes.party import INSTANT
from tests.native.room import Room

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.player import Player
    from demo.stack import NativeStack

LAST = ("test_unfilled.py", "test_records.py")
"""Files that look at what the others left behind or waited for."""


class Unfilled(NamedTuple):
    """Players at tables that nobody completes."""

    alone: Player
    two_of_three: list[Player]
    nobody: str


@pytest.fixture(scope="session")
def unfilled(stack: NativeStack) -> Iterator[Unfilled]:
    with ExitStack() as cleanup:
        room = Room(stack, cleanup)
        alone = room.sit(room.match(animationMs=INSTANT))
        three = room.match(maxPlayers=3, animationMs=INSTANT)
        yield Unfilled(alone, [room.sit(three), room.sit(three)], room.match(animationMs=INSTANT))


@pytest.fixture
def room(room: Room, unfilled: Unfilled) -> Room:
    """The room of every folder; the first use of it makes the tables that wait."""
    assert unfilled.nobody
    return room


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name in LAST)
