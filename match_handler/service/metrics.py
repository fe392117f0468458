"""Metrics for Prometheus: calls, claims and games, without labels for matches or users (DESIGN section 4).

A single process keeps its metrics in memory. Workers write them to files in a shared folder, which the parent
process reads and serves: a scrape of a shared port would reach only one of the workers.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from prometheus_client import Counter, Gauge, Histogram
from prometheus_client.multiprocess import mark_process_dead

from match_handler.match.step import Step
from match_handler.service.config import SettingsError

FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable for the workers' folder; prometheus_client reads it when it is imported."""
SHARED_FOLDERS: Final = ("/tmp", "/dev/shm")  # noqa: S108 - a new folder with a random name is created in it
"""Where the workers' folder can be, after TMPDIR. A container with a read-only disk has only /dev/shm."""

BUCKETS: Final = (0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)

CALLS: Final = Counter("set_match_calls", "Answered calls, by method and status code.", ["method", "code"])
SECONDS: Final = Histogram("set_match_call_seconds", "Duration of calls.", ["method"], buckets=BUCKETS)
BATCH_CALLS: Final = Histogram(
    "set_match_batch_calls", "MatchLoop calls in one MatchBatch.", buckets=(1, 2, 4, 8, 16, 32, 64)
)
CLAIMS: Final = Counter("set_match_claims", "Claims and other messages, by outcome.", ["outcome"])
GAMES: Final = Counter("set_match_games_ended", "Ended games, by reason.", ["reason"])
WAITING: Final = Gauge(
    "set_match_calls_waiting", "Calls that wait for a thread.", multiprocess_mode="livesum"
)
FAULTS: Final = Counter("set_match_input_faults", "Inputs that were skipped because their handler failed.")


# The labelled metrics are cached, because the look-up in prometheus_client takes longer than the update.
_seconds_of = lru_cache(maxsize=None)(SECONDS.labels)
_calls_of = lru_cache(maxsize=None)(CALLS.labels)
_claims_of = lru_cache(maxsize=None)(CLAIMS.labels)


def init_error_counter(method: str) -> None:
    """Create the counter of a method's INTERNAL errors with the value 0.

    Prometheus sees no increase in a counter that first appears with the value 1.
    """
    _calls_of(method, "INTERNAL")


def count_call(method: str, code: str, seconds: float) -> None:
    """Record an answered call and its duration."""
    _seconds_of(method).observe(seconds)
    _calls_of(method, code).inc()


def count_step(step: Step) -> None:
    """Record the claims and the end of a game in a step."""
    for outcome in step.outcomes:
        _claims_of(outcome).inc()
    if step.ended is not None:
        GAMES.labels(step.ended).inc()


@contextmanager
def metrics_folder() -> Iterator[str]:
    """Create a folder for the metrics of all child processes that are started in this context.

    Raises:
        SettingsError: no directory for temporary files is writable.
    """
    with _new_folder() as folder:
        os.environ[FOLDER_VARIABLE] = folder
        try:
            yield folder
        finally:
            del os.environ[FOLDER_VARIABLE]


def _new_folder() -> TemporaryDirectory[str]:
    for parent in (os.environ.get("TMPDIR"), *SHARED_FOLDERS):
        if parent:
            with suppress(OSError):
                return TemporaryDirectory(prefix="set-match-", dir=parent, ignore_cleanup_errors=True)
    raise SettingsError(
        "metrics port: several SET_MATCH_WORKERS with SET_MATCH_METRICS_PORT need a writable directory: "
        f"TMPDIR, {' or '.join(SHARED_FOLDERS)}"
    )


def remove_worker_metrics(pid: int | None, *, served: bool) -> None:
    """Remove the gauges of a dead worker, and all its files if it never served: they count nothing.

    Without this, the files of a worker that fails at every start would fill the folder.
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    if pid is None or folder is None:
        return
    mark_process_dead(pid)  # type: ignore[no-untyped-call]
    if not served:
        for file in Path(folder).glob(f"*_{pid}.db"):
            file.unlink(missing_ok=True)
