"""Workers that fail at the start: restarts with growing delays, and an honest readiness."""

import sys
from pathlib import Path

import pytest

from match_handler.service.workers import restart_delay
from tests.service.processes import Serving, served
from tests.service.test_healthz import healthz
from tests.service.test_metrics import value


def test_delays_double_up_to_a_limit() -> None:
    assert [restart_delay(failed) for failed in range(8)] == [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    assert restart_delay(2_000) == 8.0


def failing(block: Path) -> tuple[str, ...]:
    return (sys.executable, "-m", "tests.service.failing_serve", str(block))


def deaths(serving: Serving, count: int) -> list[float]:
    return [line["restart_in_seconds"] for line in serving.logged("worker died", count)]


def test_service_without_a_serving_worker_is_not_ready(tmp_path: Path) -> None:
    block = tmp_path / "block"
    block.touch()
    with served("--workers", "2", "--metrics-port", "0", command=failing(block)) as serving:
        assert sorted(deaths(serving, 4)[:4]) == [0.5, 0.5, 1.0, 1.0]
        assert healthz(serving) == (503, "not ready\n")
        assert serving.logged("worker cannot start")[0]["problem"] == "blocked by the test"
        block.unlink()
        serving.port(workers=2)
        assert healthz(serving) == (200, "ready\n")
        assert value(serving.metrics(), 'set_match_calls_total{code="INTERNAL",method="MatchLoop"}') == 0


def test_one_serving_worker_is_enough(tmp_path: Path) -> None:
    block = tmp_path / "block"
    with served("--workers", "2", "--metrics-port", "0", command=failing(block)) as serving:
        serving.port(workers=2)
        block.touch()
        first, second = serving.workers()
        first.kill()
        serving.logged("worker cannot start")
        assert healthz(serving) == (200, "ready\n")
        second.kill()
        serving.logged("worker died", 3)
        assert healthz(serving) == (503, "not ready\n")


@pytest.mark.parametrize("metrics", [True, False])
def test_worker_that_served_is_restarted_at_once(metrics: bool) -> None:  # noqa: FBT001
    with served("--workers", "2", *(("--metrics-port", "0") if metrics else ())) as serving:
        serving.port(workers=2)
        serving.workers()[0].kill()
        assert deaths(serving, 1) == [0.0]
        serving.logged("serving", 3)
