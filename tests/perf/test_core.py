"""The benchmark of the service: the client plays whole games, and the echo returns the requested size."""

import os

import pytest

from tests.perf import served
from tests.perf.core import measure

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


def test_echo_has_the_requested_length() -> None:
    assert served.echo(b"\0\0\1\0padding", None) == bytes(256)
