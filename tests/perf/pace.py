"""Claims at a steady rate independent of responses; waiting for responses would hide a slow server."""

from __future__ import annotations

import asyncio
import random
import time
from itertools import cycle
from typing import TYPE_CHECKING

from tests.perf.book import quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.perf.table import Table

SETTLE_S = 10.0
POLL_S = 0.02


async def drive(tables: Sequence[Table], claims_per_s: float, seconds: float) -> float:
    """Send claims in turn, wait for the responses, and return the p99 of the sending delay in seconds.

    Claims are sent at random times: at even intervals the claims of a match would always come at the same
    time within a tick.
    """
    turns, due, delays = cycle(tables), time.perf_counter(), []
    for _ in range(int(claims_per_s * seconds)):
        due += random.expovariate(claims_per_s)
        remaining_s = due - time.perf_counter()
        if remaining_s > 0:
            await asyncio.sleep(remaining_s)
        delays.append(max(0.0, time.perf_counter() - due))
        next(turns).claim()
    await settle(tables)
    return quantile(delays, 0.99)


async def settle(tables: Sequence[Table], timeout_s: float = SETTLE_S) -> None:
    """Wait until every claim has a response, or until the timeout."""
    for _ in range(int(timeout_s / POLL_S)):
        if not any(table.waiting for table in tables):
            return
        await asyncio.sleep(POLL_S)
