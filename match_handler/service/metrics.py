"""What Prometheus can ask the service: calls, claims and games, never by match or user (DESIGN section 4).

One process counts in its own memory. Workers count in files of a folder that the process which started them
reads and serves, because a scrape of a shared port would reach only one of them.
"""

import os
from functools import lru_cache
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from match_handler.match.step import Step
from match_handler.service.config import Address, SettingsError

FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Where workers count; the client library reads it when it is imported."""

BUCKETS: Final = (0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)

CALLS: Final = Counter("set_match_calls", "Calls answered, by method and status code.", ["method", "code"])
SECONDS: Final = Histogram("set_match_call_seconds", "Time in a call.", ["method"], buckets=BUCKETS)
CLAIMS: Final = Counter("set_match_claims", "Claims and other messages, by what became of them.", ["outcome"])
GAMES: Final = Counter("set_match_games_ended", "Games that ended, by reason.", ["reason"])
WAITING: Final = Gauge(
    "set_match_calls_waiting", "Calls that wait for a thread.", multiprocess_mode="livesum"
)
FAULTS: Final = Counter("set_match_input_faults", "Inputs that made the service fail and were left out.")


# A labelled child is looked up once: the client library's own look-up costs more than counting.
_seconds_of = lru_cache(maxsize=None)(SECONDS.labels)
_calls_of = lru_cache(maxsize=None)(CALLS.labels)
_claims_of = lru_cache(maxsize=None)(CLAIMS.labels)


def announce_call(method: str) -> None:
    """Lets a method's failures be there at none: a counter born with its first event shows no rise."""
    _calls_of(method, "INTERNAL")


def count_call(method: str, code: str, seconds: float) -> None:
    """Counts an answered call and its time."""
    _seconds_of(method).observe(seconds)
    _calls_of(method, code).inc()


def count_step(step: Step) -> None:
    """Counts what a step did."""
    for outcome in step.outcomes:
        _claims_of(outcome).inc()
    if step.ended is not None:
        GAMES.labels(step.ended).inc()


def serve_metrics(address: Address, folder: str | None = None) -> int:
    """Serves `/metrics` on a thread of its own and answers with the port.

    Args:
        address: where; port 0 lets the system choose.
        folder: where workers count; None: this process counts itself.

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


def let_workers_count(folder: str) -> None:
    """Tells processes that are started from here on where to count."""
    os.environ[FOLDER_VARIABLE] = folder


def forget_worker(pid: int | None) -> None:
    """Takes the waiting calls of a dead worker out of the sum."""
    if pid is not None and FOLDER_VARIABLE in os.environ:
        mark_process_dead(pid)  # type: ignore[no-untyped-call]
