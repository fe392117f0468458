"""Claims at a steady rate, whatever the answers take: those who wait for answers would hide a slow server."""

from __future__ import annotations

import asyncio
import random
import time
from itertools import cycle
from typing import TYPE_CHECKING

from tests.load.book import quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.load.table import Table

SETTLE_S = 10.0
POLL_S = 0.02


async def drive(tables: Sequence[Table], claims_per_s: float, seconds: float) -> float:
    """Let the tables claim in turn for so long and wait for the answers; say how late (p99, s).

    Claims come at random times: at even ones each match would be met at the same place between two ticks.
    """
    turns, due, late = cycle(tables), time.perf_counter(), []
    for _ in range(int(claims_per_s * seconds)):
        due += random.expovariate(claims_per_s)
        ahead = due - time.perf_counter()
        if ahead > 0:
            await asyncio.sleep(ahead)
        late.append(max(0.0, time.perf_counter() - due))
        next(turns).claim()
    await settle(tables)
    return quantile(late, 0.99)


async def settle(tables: Sequence[Table], within_s: float = SETTLE_S) -> None:
    """Wait until every claim has its answer, or that time has gone."""
    for _ in range(int(within_s / POLL_S)):
        if not any(table.waiting for table in tables):
            return
        await asyncio.sleep(POLL_S)
