from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.load.plot import draw
from tests.load.stage import NAKAMA, SERVICE

if TYPE_CHECKING:
    from pathlib import Path


def row(matches: int) -> dict[str, Any]:
    kind = {"p50_ms": 25.0, "p99_ms": 50.0, "cpu_percent": {SERVICE: matches / 10, NAKAMA: matches / 5}}
    return {"matches": matches, "ours": kind, "echo": kind}


def test_the_plot_is_the_same_for_the_same_figures(tmp_path: Path) -> None:
    rows = [row(10), row(20)]

    draw(rows, tmp_path / "one.svg")
    draw(rows, tmp_path / "other.svg")
    draw([*rows, row(30)], tmp_path / "more.svg")

    drawn = (tmp_path / "one.svg").read_bytes()
    assert drawn == (tmp_path / "other.svg").read_bytes()
    assert drawn != (tmp_path / "more.svg").read_bytes()
