"""Increasing numbers of matches at one claim per second each: ours and as many of the echo handler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.perf.book import Book
from tests.perf.compare import CLAIM_RESULT_BYTES
from tests.perf.grid import Grid
from tests.perf.pace import drive
from tests.perf.stage import NAKAMA, SERVICE, Stage, say
from tests.perf.table import EchoTable, SetTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.perf.table import Table

STEPS = (250, 500, 1000, 1500, 2000)
SECONDS = 10.0


async def measure(stage: Stage, steps: Sequence[int] = STEPS, seconds: float = SECONDS) -> Any:
    """Return one row per number of matches; each match has one player, who is the only receiver."""
    ours: list[Table] = []
    echo: list[Table] = []
    rows: list[dict[str, Any]] = []
    grid = Grid(["p50_ms", "p99_ms", "unanswered", "calls/claim", SERVICE, NAKAMA], say)
    for matches in steps:
        await _grow(stage, ours, echo, matches)
        rows.append({"matches": matches})
        for name, tables in (("echo", echo), ("ours", ours)):
            rows[-1][name] = await _phase(stage, tables, seconds)
            grid.row(f"{matches} matches, {name}", _printed(rows[-1][name]))
    await stage.close([*ours, *echo])
    return rows


async def _grow(stage: Stage, ours: list[Table], echo: list[Table], matches: int) -> None:
    more_ours: list[Table] = [SetTable(mode="SINGLE_PLAYER") for _ in range(matches - len(ours))]
    await stage.open(more_ours, players=1)
    ours += more_ours
    more_echo: list[Table] = [EchoTable(CLAIM_RESULT_BYTES) for _ in range(matches - len(echo))]
    await stage.open(more_echo, players=1)
    echo += more_echo


async def _phase(stage: Stage, tables: Sequence[Table], seconds: float) -> dict[str, Any]:
    book, before, called = Book(), stage.usage(), stage.calls()
    for table in tables:
        table.book = book
    late_s = await drive(tables, len(tables), seconds)
    after = stage.usage()
    return {
        **book.spread._asdict(),
        "claims": book.sent,
        "unanswered": book.unanswered,
        "calls_per_claim": round((stage.calls() - called) / book.sent, 3),
        "sent_late_p99_ms": round(late_s * 1000, 2),
        "cpu_percent": after.since(before),
        "rss_mib": dict(after.rss_mib),
    }


def _printed(figures: dict[str, Any]) -> dict[str, float]:
    return {**figures, "calls/claim": figures["calls_per_claim"], **figures["cpu_percent"]}
