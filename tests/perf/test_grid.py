from __future__ import annotations

from tests.perf.grid import Grid


def test_rows_are_printed_under_their_columns() -> None:
    lines: list[str] = []

    grid = Grid(["p50_ms", "calls"], lines.append)
    grid.row("ours", {"calls": 3, "p50_ms": 27.25, "max_ms": 1})
    grid.row("echo", {"p50_ms": 26})

    assert [line.split() for line in lines] == [
        ["p50_ms", "calls"],
        ["ours", "27.25", "3"],
        ["echo", "26", "-"],
    ]
    assert len({len(line) for line in lines}) == 1
