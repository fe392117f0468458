"""Metrics for Prometheus: calls, claims and games, without labels for matches or users (DESIGN section 4).

A single process keeps its metrics in memory. Workers write them to files in a shared folder, which the parent
process reads and serves: a scrape of a shared port would reach only one of the workers.
"""

import os
from functools import lru_cache
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from match_handler.match.step import Step
from match_handler.service.config import Address, SettingsError

FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable for the workers' folder; prometheus_client reads it when it is imported."""

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


def serve_metrics(address: Address, folder: str | None = None) -> int:
    """Serve `/metrics` on a background thread and return the port.

    Args:
        address: the address to listen on; for port 0 the system chooses a free port.
        folder: the folder of the workers' metrics; None: serve the metrics of this process.

    Raises:
        SettingsError: the port cannot be used.
    """
    try:
        if folder is None:
            server, _ = start_http_server(address.port, address.host)
        else:
            registry = CollectorRegistry()
            MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
            server, _ = start_http_server(address.port, address.host, registry)
    except OSError as error:
        raise SettingsError(f"metrics port: {address.port} cannot be used: {error.strerror}") from error
    return int(server.server_port)


def set_metrics_folder(folder: str) -> None:
    """Set the metrics folder for all child processes that are started after this call."""
    os.environ[FOLDER_VARIABLE] = folder


def remove_worker_gauges(pid: int | None) -> None:
    """Remove the waiting calls of a dead worker from the metrics."""
    if pid is not None and FOLDER_VARIABLE in os.environ:
        mark_process_dead(pid)  # type: ignore[no-untyped-call]
