"""Pauses between attempts to reconnect."""

from __future__ import annotations

import random
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST_S = 0.25
LONGEST_S = 5.0


def pauses() -> Iterator[float]:
    """Yield the pauses before the attempts, in seconds, without an end.

    The upper limit doubles from `FIRST_S` to `LONGEST_S`. Each pause is a random part of it. Otherwise all
    clients of a restarted server would connect at the same moments.
    """
    for attempt in count():
        longest = min(LONGEST_S, FIRST_S * 2 ** min(attempt, 10))
        yield random.uniform(0.0, longest)  # noqa: S311 - a pause is not secret
