"""The benchmark of the service: the client plays whole games, and the echo returns the requested size."""

import json
import os
from pathlib import Path

import pytest

from tests.perf import core, pinned, served
from tests.perf.core import Row, measure, most_matches, ratios

GAMES_AND_MORE = 31
"""The number of rounds, above the 27 Sets that a game can have."""


@pytest.fixture(scope="module")
def cores() -> tuple[int, int]:
    """Return the same core twice: the figures do not matter here, and every machine has one core."""
    core = min(os.sched_getaffinity(0))
    return core, core


def test_claims_of_whole_games_alternate_with_echoes(cores: tuple[int, int]) -> None:
    rows = measure("closed", ["-matches", "4", "-rounds", str(GAMES_AND_MORE)], cores)

    assert [(row["callers"], row["kind"]) for row in rows] == [
        (1, "echo"),
        (1, "MatchLoop"),
        (64, "echo"),
        (64, "MatchLoop"),
    ]
    assert {row["calls"] for row in rows} == {4 * GAMES_AND_MORE}
    assert all(row["answer_bytes"] > row["request_bytes"] > 1_000 for row in rows)
    assert all(0 < row["p50_us"] <= row["p99_us"] <= row["max_us"] for row in rows)
    assert all(row["service_us"] > 0 for row in rows)


def test_batch_figures_are_per_claim(cores: tuple[int, int]) -> None:
    rows = measure("batch", ["-matches", "64", "-rounds", "1"], cores)

    assert [(row["claims_per_call"], row["kind"]) for row in rows[::2]] == [
        (size, "echo") for size in (1, 4, 16, 64)
    ]
    assert [row["kind"] for row in rows[1::2]] == ["MatchLoop"] + ["MatchBatch"] * 3
    assert [row["calls"] for row in rows[1::2]] == [64, 16, 4, 1]
    assert rows[-1]["request_bytes"] > 64_000


def test_every_claim_is_answered_by_each_kind_of_call(cores: tuple[int, int]) -> None:
    rows = measure("open", ["-steps", "20,40", "-rounds", "1", "-seconds", "0.2"], cores)

    assert {row["kind"] for row in rows[:3]} == {"echo", "MatchLoop", "MatchBatch"}
    assert [(row["matches"], row["claims"]) for row in rows[:3]] == [(20, 4)] * 3
    # On a machine that stalls, a kind may be over capacity and skip the next step.
    assert {(row["matches"], row["claims"]) for row in rows[3:]} <= {(40, 8)}
    assert all(row["calls"] >= row["claims"] and row["calls"] >= row["rpcs"] > 0 for row in rows)


def _row(callers: int, kind: str, p50_us: float, claims_per_s: float) -> Row:
    return {"callers": callers, "kind": kind, "p50_us": p50_us, "claims_per_s": claims_per_s}


def test_ratios_use_one_caller_and_many() -> None:
    rows = [
        _row(1, "echo", 200, 1),
        _row(1, "MatchLoop", 300, 1),
        _row(64, "echo", 1, 5_000),
        _row(64, "MatchLoop", 1, 4_000),
    ]

    assert ratios(rows) == {"p50": 1.5, "claims_per_s": 0.8}


def test_matches_are_counted_up_to_the_first_miss() -> None:
    p99s = {
        "echo": (1, 1, 1),
        "MatchBatch": (1, 24_999, 25_000),
        "MatchLoop": (1, 30_000, 1),
        "slow": (25_000,) * 3,
    }
    rows = [
        {"matches": matches, "kind": kind, "turn_p99_us": p99}
        for kind, found in p99s.items()
        for matches, p99 in zip((250, 500, 1_000), found, strict=True)
    ]

    assert most_matches(rows) == {"echo": 1_000, "MatchBatch": 500, "MatchLoop": 250, "slow": 0}


def test_echo_has_the_requested_length() -> None:
    assert served.echo(b"\0\0\1\0padding", None) == bytes(256)


def test_unknown_part_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert core.main(["speed"]) == 2
    assert capsys.readouterr().out == "unknown part: speed; allowed: closed, batch, open\n"


def test_one_core_is_too_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3})

    with pytest.raises(pinned.CoresError, match=r"^this process may use 1 core, 2 are needed"):
        pinned.two_cores()


def test_new_figures_keep_those_of_other_parts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = tmp_path / "core.json"
    result.write_text('{"open": "before"}')
    rows = [_row(callers, kind, 1, 1) for callers in (1, 64) for kind in ("echo", "MatchLoop")]
    monkeypatch.setattr(core, "RESULT", result)
    monkeypatch.setattr(core, "two_cores", lambda: (0, 1))
    monkeypatch.setattr(core, "measure", lambda *_: rows)

    assert core.main(["closed"]) == 0

    kept = json.loads(result.read_text())
    assert kept["open"] == "before"
    assert kept["closed"]["found"] == rows
    assert kept["closed"]["machine"]["cores"] >= 1
    assert "p50: 1.0 times that of an echo, target: at most 1.25" in capsys.readouterr().out
