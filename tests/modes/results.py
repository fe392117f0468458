"""Results that the plugin has written: leaderboard entries and records."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from demo.nakama_client import NakamaClient

LOOK_EVERY_S = 0.1


def entry_of(user: NakamaClient, board: str, *, waiting: bool = False) -> tuple[int, int] | None:
    """A user's own (score, subscore), or None; `waiting` looks until there is an entry."""
    while (entry := user.leaderboard_entry(board)) is None and waiting:
        time.sleep(LOOK_EVERY_S)
    return entry


def record_of(user: NakamaClient, key: str) -> dict[str, Any]:
    """The record under a key, as soon as it is written."""
    while (record := user.record(key)) is None:
        time.sleep(LOOK_EVERY_S)
    return record
