"""The results of claims: response times, and whether every claim got exactly one response."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Spread(NamedTuple):
    """Time from claim to result, in milliseconds."""

    p50_ms: float
    p99_ms: float
    max_ms: float


@dataclass
class Book:
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

    @property
    def spread(self) -> Spread:
        return Spread(*(round(quantile(self.waited_s, share) * 1000, 2) for share in (0.5, 0.99, 1.0)))

    def add(self, other: Book) -> None:
        """Add the claims of another phase."""
        self.sent += other.sent
        self.waited_s += other.waited_s
        self.twice += other.twice
        self.outcomes += other.outcomes


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that is at least as large as this share of all values; 0 without values.

    Raises:
        ValueError: The share is not in 0..1.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share: {share} is not in 0..1")
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]
