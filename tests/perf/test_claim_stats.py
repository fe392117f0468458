from __future__ import annotations

import pytest

from tests.perf.claim_stats import ClaimStats, merged, quantile
from tests.perf.soak import faults

FINE = {
    "unanswered": 0,
    "answered_twice": 0,
    "parted": 0,
    "missing_early": 0,
    "lost_matches": 0,
    "disconnected": 0,
    "records": 7,
    "games": 7,
}


@pytest.mark.parametrize(("share", "value"), [(0, 1), (0.5, 5), (0.51, 6), (0.99, 10), (1, 10)])
def test_quantile_is_one_of_the_values(share: float, value: float) -> None:
    assert quantile([3, 1, 2, 5, 4, 6, 10, 9, 8, 7], share) == value


def test_stats_count_unanswered_and_repeated_claims() -> None:
    stats = merged([ClaimStats(sent=3, waited_s=[0.01, 0.03]), ClaimStats(sent=1, waited_s=[0.02], twice=2)])
    assert stats.row() == {
        "p50_ms": 20,
        "p99_ms": 30,
        "max_ms": 30,
        "claims": 4,
        "unanswered": 1,
        "answered_twice": 2,
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("unanswered", 1),
        ("answered_twice", 1),
        ("parted", 1),
        ("missing_early", 1),
        ("lost_matches", 1),
        ("disconnected", 1),
        ("records", 6),
    ],
)
def test_soak_faults_name_the_violated_condition(name: str, value: int) -> None:
    assert faults(FINE) == []
    assert faults({**FINE, name: value}) == [name]
