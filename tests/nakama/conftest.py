"""Fixtures and helpers for the tests of one match at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from demo.stack.native import RULES
from tests.native.room import QUICK, Room

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.client import messages as wire
    from demo.stack.native import NativeStack

__all__ = ["QUICK", "Room", "without_times"]


@pytest.fixture
def stoppable_stack(stack: NativeStack) -> Iterator[NativeStack]:
    """The stack; after a test that kills the rules service it is started again."""
    yield stack
    if RULES not in stack.pids:
        stack.start_rules()


def without_times(snapshot: wire.Snapshot) -> dict[str, Any]:
    """Return the fields of a snapshot that change only by a message, and that are equal for all players."""
    fields = {name: getattr(snapshot, name) for name in snapshot.__struct_fields__}
    excluded = ("now_ms", "time_remaining_ms", "locked_until_ms", "phase", "your_seats")
    return {name: value for name, value in fields.items() if name not in excluded}
