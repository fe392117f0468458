"""Results that the plugin has written: leaderboard entries and records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.clients import wait_until

if TYPE_CHECKING:
    from demo.client.nakama_client import NakamaClient


def wait_for_entry(user: NakamaClient, board: str) -> tuple[int, int]:
    """Wait for the user's own leaderboard entry and return its (score, subscore)."""
    return wait_until(lambda: user.leaderboard_entry(board))


def wait_for_record(user: NakamaClient, key: str) -> dict[str, Any]:
    """Wait until a record is written under this key and return it."""
    return wait_until(lambda: user.record(key))
