import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench import core, phases, tables

WAITS = {"p50_us": 340.0, "p99_us": 12_600.0, "turn_p99_us": 9_990.0}


def row(kind: str, **more: Any) -> core.Row:
    figures = {"claims_per_s": 5_694.3, "service_us": 192.4, "service_percent": 21.6}
    return {"kind": kind, **WAITS, **figures, **more}


def test_a_ratio_is_that_of_the_figures_beside_it() -> None:
    rows = [
        row("echo", callers=1),
        row("MatchLoop", callers=1, p50_us=510),
        row("echo", callers=64),
        row("MatchLoop", callers=64, claims_per_s=2_847.15),
    ]

    lines = tables.closed(rows).splitlines()

    assert lines[1] == "|---|---|---|---|"
    assert lines[2] == "| one caller, p50 | 0.34 ms | 0.51 ms | 1.50 |"
    assert lines[3] == "| one caller, p99 | 13 ms | 13 ms | 1.00 |"
    assert lines[4] == "| 64 callers, claims/s | 5,694 | 2,847 | 0.50 |"
    assert lines[5] == "| 64 callers, service | 192 µs | 192 µs | 1.00 |"


def test_a_batch_stands_beside_its_echo() -> None:
    rows = [row("echo", claims_per_call=4, service_us=60), row("MatchBatch", claims_per_call=4)]

    assert tables.batch(rows).splitlines()[2] == "| 4 | 60 µs | 192 µs | 5,694 |"


def test_a_kind_past_its_knee_is_a_dash() -> None:
    both = {"calls": 150, "rpcs": 100}
    rows = [
        row("echo", matches=1_000),
        row("MatchLoop", matches=1_000),
        row("MatchBatch", matches=1_000, **both),
        row("echo", matches=2_000),
    ]

    lines = tables.at_a_rate(rows).splitlines()

    cell = "0.34 / 9.99 ms, 22 %"
    assert lines[2] == f"| 1,000 | {cell} | {cell} | {cell} | 1.5 |"
    assert lines[3] == f"| 2,000 | {cell} |" + f" {tables.DASH} |" * 3


def test_all_that_was_measured_is_printed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    closed = [row(kind, callers=callers) for callers in (1, 64) for kind in ("echo", "MatchLoop")]
    found = {
        "closed": closed,
        "batch": [row("echo", claims_per_call=1), row("MatchLoop", claims_per_call=1)],
        "open": [row("echo", matches=250)],
    }
    kept = {name: {"machine": {"load_average": [1.25]}, "found": rows} for name, rows in found.items()}
    (tmp_path / "core.json").write_text(json.dumps(kept))
    (tmp_path / "phases.json").write_text('{"found": {"judge": {"again": 1.4, "in turn": 2, "cold": 3.6}}}')
    monkeypatch.setattr(core, "RESULT", tmp_path / "core.json")
    monkeypatch.setattr(phases, "RESULT", tmp_path / "phases.json")

    tables.main()

    printed = capsys.readouterr().out
    assert printed.count("load average 1.2:") == 3
    assert printed.endswith("| judge | 1 µs | 2 µs | 4 µs |\n")
