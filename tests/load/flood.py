"""One client that sends as fast as it can: what its own table and the tables of others notice of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.load.book import Book
from tests.load.grid import Grid
from tests.load.pace import drive
from tests.load.stage import Stage, say
from tests.load.table import SetTable

if TYPE_CHECKING:
    from collections.abc import Sequence

MATCHES = 100
ROUNDS = 6
SECONDS = 6.0
MESSAGES_PER_S = 2000


class Flooder(SetTable):
    """A table whose player sends and sends."""

    async def flood(self, messages_per_s: float) -> None:
        """Send claims until cancelled."""
        while True:
            for _ in range(10):
                self.claim()
            await asyncio.sleep(10 / messages_per_s)


async def measure(
    stage: Stage, matches: int = MATCHES, rounds: int = ROUNDS, seconds: float = SECONDS
) -> Any:
    """The latency of the others, in quiet phases and in phases with a flood, in turn."""
    tables = [SetTable() for _ in range(matches)]
    flooder = Flooder(mode="SINGLE_PLAYER")
    await stage.open(tables, players=2)
    await stage.open([flooder], players=1)
    books = {"quiet": Book(), "flood": Book()}
    grid = Grid(["p50_ms", "p99_ms", "max_ms", "unanswered"], say)
    for number in range(rounds):
        for name, book in books.items():
            await _phase(tables, flooder if name == "flood" else None, book, seconds)
            grid.row(
                f"{name}, to turn {number + 1}", {**book.spread._asdict(), "unanswered": book.unanswered}
            )
    await stage.close(tables)
    flooder.close()
    return {
        "matches": matches,
        "flood_messages_sent": flooder.book.sent,
        "flood_outcomes": dict(flooder.book.outcomes),
        "flood_disconnected": flooder.cut_off,
        **{name: {**book.spread._asdict(), "unanswered": book.unanswered} for name, book in books.items()},
        "p50_ratio": round(books["flood"].spread.p50_ms / books["quiet"].spread.p50_ms, 3),
        "p99_ratio": round(books["flood"].spread.p99_ms / books["quiet"].spread.p99_ms, 3),
    }


async def _phase(tables: Sequence[SetTable], flooder: Flooder | None, book: Book, seconds: float) -> None:
    for table in tables:
        table.book = book
    flood = asyncio.create_task(flooder.flood(MESSAGES_PER_S)) if flooder else None
    await drive(tables, len(tables), seconds)
    if flood is not None:
        flood.cancel()
        await asyncio.sleep(1)
