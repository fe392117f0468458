"""Several server processes that share one port: one interpreter uses one core."""

import logging
import multiprocessing
import multiprocessing.connection
import os
import socket
import tempfile
import threading
from dataclasses import replace
from multiprocessing.process import BaseProcess
from typing import Final

from match_handler.service.config import Address, Settings
from match_handler.service.logs import configure_logs
from match_handler.service.metrics import forget_worker, let_workers_count, serve_metrics
from match_handler.service.ports import free_port, take_port
from match_handler.service.server import run_until
from match_handler.service.signals import StopRequest, stop_requested
from match_handler.service.tls import check_tls
from match_handler.service.trace_config import tracing_of

log = logging.getLogger(__name__)

POLL_SECONDS: Final = 0.5
_spawn = multiprocessing.get_context("spawn")


def _hold_port(address: Address) -> socket.socket:
    """Takes the port for the workers to share; fails where any other program has it."""
    return take_port(free_port(address), shared=True)


def _watch_parent(stop: StopRequest) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    stop.make()


def _work(settings: Settings) -> None:
    configure_logs(settings.log_level)
    stop = stop_requested()
    threading.Thread(target=_watch_parent, args=(stop,), daemon=True).start()
    run_until(stop, settings, shared_port=True)


def _start(settings: Settings) -> BaseProcess:
    worker = _spawn.Process(target=_work, args=(settings,), name="set-match-worker")
    worker.start()
    return worker


def _replace_dead(workers: list[BaseProcess], settings: Settings) -> None:
    for index, worker in enumerate(workers):
        if not worker.is_alive():
            forget_worker(worker.pid)
            log.error("worker died", extra={"worker": worker.pid, "exit": worker.exitcode})
            workers[index] = _start(settings)


def _serve_with_workers(settings: Settings, stop: StopRequest) -> None:
    with _hold_port(settings.listen) as held, tempfile.TemporaryDirectory(prefix="set-match-") as folder:
        shared = replace(settings, listen=Address(settings.listen.host, held.getsockname()[1]))
        if settings.metrics_port is not None:
            let_workers_count(folder)
            _serve_metrics(settings.metrics_port, folder)
        workers = [_start(shared) for _ in range(settings.workers)]
        while not stop.wait(POLL_SECONDS):
            _replace_dead(workers, shared)
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()


def _serve_metrics(port: int, folder: str | None) -> None:
    used = serve_metrics(Address("0.0.0.0", port), folder)  # noqa: S104 - Prometheus asks from elsewhere
    log.info("metrics", extra={"port": used})


def serve(settings: Settings) -> None:
    """Serves until SIGTERM or SIGINT with as many processes as set; one that dies is replaced.

    Raises:
        SettingsError: an address cannot be used, or the TLS files cannot.
    """
    stop = stop_requested()
    check_tls(settings.tls)
    tracing_of(os.environ)
    if settings.workers > 1:
        _serve_with_workers(settings, stop)
        return
    if settings.metrics_port is not None:
        _serve_metrics(settings.metrics_port, None)
    run_until(stop, settings)
