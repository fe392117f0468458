"""The match clock across a restart of Nakama."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class Clock(NamedTuple):
    """The match clock in a snapshot, in milliseconds; `at` is the time of its arrival in seconds."""

    at: float
    now_ms: int


def clock_error_s(clocks: Iterable[Clock], stopped_at: float, started_at: float) -> float:
    """Return the difference, in seconds, between the clock before and after a restart.

    The clock stops while Nakama is down. It continues with the first join, whose snapshot is the first one.
    """
    clocks = sorted(clocks)
    before = max(clock for clock in clocks if clock.at < stopped_at)
    after = min(clock for clock in clocks if clock.at > started_at)
    expected_ms = before.now_ms + 1000 * (stopped_at - before.at)
    return abs(after.now_ms - expected_ms) / 1000
