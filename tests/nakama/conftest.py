"""What the tests of one match at a time share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.native.room import QUICK, Room

if TYPE_CHECKING:
    from demo import messages as wire

__all__ = ["QUICK", "Room", "everything_but_time"]


def everything_but_time(snapshot: wire.Snapshot) -> dict[str, Any]:
    """A snapshot without what passes by itself."""
    fields = {name: getattr(snapshot, name) for name in snapshot.__struct_fields__}
    passing = ("now_ms", "time_remaining_ms", "locked_until_ms", "phase", "your_seats")
    return {name: value for name, value in fields.items() if name not in passing}
