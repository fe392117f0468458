"""Time from claim to result: ours, an echo handler, and an echo of the same size, in alternating rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.perf.book import Book
from tests.perf.grid import Grid
from tests.perf.pace import drive
from tests.perf.stage import NAKAMA, SERVICE, Stage, say
from tests.perf.table import EchoTable, SetTable
from tests.perf.usage import GENERATOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.perf.table import Table

MATCHES = 100
PLAYERS = 2
ROUNDS = 6
SECONDS = 8.0
CLAIM_RESULT_BYTES = 640
"""The size of a CLAIM_RESULT with three new cards."""

CORES = (SERVICE, NAKAMA, GENERATOR)


async def measure(
    stage: Stage, matches: int = MATCHES, rounds: int = ROUNDS, seconds: float = SECONDS
) -> Any:
    """Measure latency, calls and processor time of three kinds of matches at one claim per second each."""
    kinds: dict[str, Sequence[Table]] = {
        "ours": [SetTable() for _ in range(matches)],
        "do-nothing": [EchoTable() for _ in range(matches)],
        "echo of the same size": [EchoTable(CLAIM_RESULT_BYTES) for _ in range(matches)],
    }
    books = {name: Book() for name in kinds}
    cpu: dict[str, list[dict[str, float]]] = {name: [] for name in kinds}
    calls = dict.fromkeys(kinds, 0.0)
    for tables in kinds.values():
        await stage.open(tables, PLAYERS)
    grid = Grid(["p50_ms", "p99_ms", "max_ms", "unanswered", "late_ms", *CORES], say)
    for number in range(rounds):
        for name in list(kinds)[number % 3 :] + list(kinds)[: number % 3]:
            book, before, called = Book(), stage.usage(), stage.calls()
            for table in kinds[name]:
                table.book = book
            late_s = await drive(kinds[name], matches, seconds)
            calls[name] += stage.calls() - called
            cpu[name].append(stage.usage().since(before))
            books[name].add(book)
            grid.row(f"{name}, turn {number + 1}", _figures(book, late_s, cpu[name][-1]))
    for tables in kinds.values():
        await stage.close(tables)
    rows = {name: _row(books[name], cpu[name], calls[name]) for name in kinds}
    return {"matches": matches, "players": PLAYERS, "kinds": rows, "ratios": _ratios(books)}


def _figures(book: Book, late_s: float, cpu: dict[str, float]) -> dict[str, float]:
    figures = {**book.spread._asdict(), "unanswered": book.unanswered, "late_ms": round(late_s * 1000, 1)}
    return {**figures, **cpu}


def _row(book: Book, cpu: list[dict[str, float]], calls: float) -> dict[str, Any]:
    return {
        **book.spread._asdict(),
        "claims": book.sent,
        "unanswered": book.unanswered,
        "answered_twice": book.twice,
        "calls_per_claim": round(calls / book.sent, 3),
        "cpu_percent": {name: round(sum(one[name] for one in cpu) / len(cpu), 1) for name in CORES},
        "outcomes": dict(book.outcomes),
    }


def _ratios(books: dict[str, Book]) -> dict[str, dict[str, float]]:
    ours = books["ours"].spread
    return {
        name: {
            "p50": round(ours.p50_ms / book.spread.p50_ms, 3),
            "p99": round(ours.p99_ms / book.spread.p99_ms, 3),
        }
        for name, book in books.items()
        if name != "ours"
    }
