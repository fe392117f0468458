"""Draws docs/load.svg from build/load.json: claim to result and processor time by the number of matches."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure

from demo.settings import PROJECT
from tests.load.stage import NAKAMA, SERVICE, say

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

PLOT = PROJECT / "docs" / "load.svg"
FIGURES = PROJECT / "build" / "load.json"
LINES = {"ours": "tab:blue", "echo": "tab:gray"}
TICK_MS = 50


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Write the plot of the rows that `capacity` measured."""
    with mpl.rc_context({"svg.hashsalt": "load", "font.size": 9}):
        figure = Figure(figsize=(8, 3.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        _latency(left, rows)
        _processor(right, rows)
        figure.savefig(path, metadata={"Date": None})


def _latency(axes: Axes, rows: list[dict[str, Any]]) -> None:
    matches = [row["matches"] for row in rows]
    for kind, color in LINES.items():
        for share, style in (("p50_ms", "-"), ("p99_ms", "--")):
            values = [row[kind][share] for row in rows]
            axes.plot(matches, values, style, color=color, marker=".", label=f"{kind}, {share[:3]}")
    axes.axhline(TICK_MS, color="tab:red", linewidth=0.6, label="a tick")
    axes.set(xlabel="matches at 1 claim/s", ylabel="claim to result, ms", ylim=(0, None), xlim=(0, None))
    axes.legend()


def _processor(axes: Axes, rows: list[dict[str, Any]]) -> None:
    matches = [row["matches"] for row in rows]
    lines = {
        f"{SERVICE}": ("ours", SERVICE),
        "Nakama, ours": ("ours", NAKAMA),
        "Nakama, echo": ("echo", NAKAMA),
    }
    for label, (kind, program) in lines.items():
        axes.plot(matches, [row[kind]["cpu_percent"][program] for row in rows], marker=".", label=label)
    axes.set(xlabel="matches at 1 claim/s", ylabel="% of one core", ylim=(0, None), xlim=(0, None))
    axes.legend()


def main() -> None:
    draw(json.loads(FIGURES.read_text())["capacity"]["found"], PLOT)
    say(f"drew {PLOT.relative_to(PROJECT)}")


if __name__ == "__main__":
    main()
