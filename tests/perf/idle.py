"""The cost of idle matches: ours and those of a handler that does nothing, in alternating rounds."""

from __future__ import annotations

import asyncio
import statistics
from typing import TYPE_CHECKING, Any

from tests.perf.grid import Grid
from tests.perf.stage import NAKAMA, SERVICE, Stage, say
from tests.perf.table import EchoTable, SetTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.perf.table import Table

MATCHES = 1000
ROUNDS = 3
SETTLE_S = 4.0
SECONDS = 15.0

MAKERS: dict[str, Callable[[], Table]] = {
    "ours": lambda: SetTable(mode="SINGLE_PLAYER"),
    "do-nothing": EchoTable,
}


async def measure(
    stage: Stage, matches: int = MATCHES, rounds: int = ROUNDS, seconds: float = SECONDS
) -> Any:
    """Measure calls and processor time of idle matches, each with one connected player."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in MAKERS}
    grid = Grid(["calls", SERVICE, NAKAMA], say)
    for number in range(rounds):
        for name in list(MAKERS)[:: 1 if number % 2 else -1]:
            found[name].append(await _round(stage, MAKERS[name], matches, seconds))
            grid.row(f"{name}, turn {number + 1}", found[name][-1])
    rows = {name: _median(rounds_of) for name, rounds_of in found.items()}
    difference = _nakama_and_service(rows["ours"]) - _nakama_and_service(rows["do-nothing"])
    return {"matches": matches, "seconds": seconds, **rows, "difference_cpu_percent": round(difference, 2)}


async def _round(stage: Stage, make: Callable[[], Table], matches: int, seconds: float) -> dict[str, float]:
    tables = [make() for _ in range(matches)]
    await stage.open(tables, players=1)
    await asyncio.sleep(SETTLE_S)
    calls, before = stage.calls(), stage.usage()
    await asyncio.sleep(seconds)
    after, calls = stage.usage(), stage.calls() - calls
    await stage.close(tables)
    return {"calls": calls, **after.since(before)}


def _median(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {name: round(statistics.median(one[name] for one in rounds), 2) for name in rounds[0]}


def _nakama_and_service(row: dict[str, float]) -> float:
    return row[NAKAMA] + row[SERVICE]
