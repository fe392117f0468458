"""The latency of 100 matches with and without one client that floods Nakama."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from typing import TYPE_CHECKING, Any

from tests.perf.book import Book
from tests.perf.grid import Grid
from tests.perf.pace import drive
from tests.perf.stage import Stage, say
from tests.perf.table import SetTable

if TYPE_CHECKING:
    from collections.abc import Sequence

MATCHES = 100
ROUNDS = 6
SECONDS = 6.0
PAUSE_S = 1.0


async def measure(
    stage: Stage, matches: int = MATCHES, rounds: int = ROUNDS, seconds: float = SECONDS
) -> Any:
    """Measure the latency of the other clients in alternating phases with and without a flood."""
    tables = [SetTable() for _ in range(matches)]
    await stage.open(tables, players=2)
    flooder = await _flooder(stage.stack.api_url, tables[0].match_id)
    books = {"quiet": Book(), "flood": Book()}
    grid = Grid(["p50_ms", "p99_ms", "max_ms", "unanswered"], say)
    for number in range(rounds):
        for name, book in books.items():
            await _phase(tables, flooder if name == "flood" else None, book, seconds)
            grid.row(
                f"{name}, to turn {number + 1}", {**book.spread._asdict(), "unanswered": book.unanswered}
            )
    counts, _ = await flooder.communicate(b"")
    await stage.close(tables)
    return {
        "matches": matches,
        "flooder": json.loads(counts),
        "refused_calls": stage.refused_calls(),
        **{name: {**book.spread._asdict(), "unanswered": book.unanswered} for name, book in books.items()},
        "p50_ratio": round(books["flood"].spread.p50_ms / books["quiet"].spread.p50_ms, 3),
        "p99_ratio": round(books["flood"].spread.p99_ms / books["quiet"].spread.p99_ms, 3),
    }


async def _flooder(api_url: str, target: str) -> Process:
    """Start the flooding client and wait until it is ready."""
    command = (sys.executable, "-m", "tests.perf.flooder", api_url, target)
    flooder = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert flooder.stdout is not None
    assert await flooder.stdout.readline() == b"ready\n"
    return flooder


async def _phase(tables: Sequence[SetTable], flooder: Process | None, book: Book, seconds: float) -> None:
    for table in tables:
        table.book = book
    _command(flooder, b"go\n")
    await drive(tables, len(tables), seconds)
    _command(flooder, b"stop\n")
    await asyncio.sleep(PAUSE_S)


def _command(flooder: Process | None, line: bytes) -> None:
    if flooder is not None:
        assert flooder.stdin is not None
        flooder.stdin.write(line)
