"""Comparison of snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from demo.client import messages as wire


def without_times(snapshot: wire.Snapshot) -> dict[str, Any]:
    """Return the fields of a snapshot that change only by a message, and that are equal for all players."""
    fields = {name: getattr(snapshot, name) for name in snapshot.__struct_fields__}
    excluded = ("now_ms", "time_remaining_ms", "locked_until_ms", "phase", "your_seats")
    return {name: value for name, value in fields.items() if name not in excluded}
