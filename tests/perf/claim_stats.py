"""Statistics of claims: response times, and whether every claim got exactly one response."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass
class ClaimStats:
    """The claims of one phase of a load.

    Attributes:
        sent: Number of sent claims.
        waited_s: Seconds from each claim to its first response.
        twice: Number of responses after the first.
        outcomes: Number of claims by outcome.
    """

    sent: int = 0
    waited_s: list[float] = field(default_factory=list)
    twice: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def unanswered(self) -> int:
        return self.sent - len(self.waited_s)

    def row(self) -> dict[str, float]:
        """Return the figures for a table; times are from claim to result."""
        times = {"p50_ms": 0.5, "p99_ms": 0.99, "max_ms": 1.0}
        return {
            **{name: round(1000 * quantile(self.waited_s, share), 2) for name, share in times.items()},
            "claims": self.sent,
            "unanswered": self.unanswered,
            "answered_twice": self.twice,
        }


def merged(parts: Iterable[ClaimStats]) -> ClaimStats:
    """Return the statistics of several phases together."""
    result = ClaimStats()
    for part in parts:
        result.sent += part.sent
        result.waited_s += part.waited_s
        result.twice += part.twice
        result.outcomes += part.outcomes
    return result


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that is at least as large as this share (0..1) of all; 0 without values."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)] if ordered else 0.0
