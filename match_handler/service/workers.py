"""Worker processes that share one port, because one Python interpreter uses one core."""

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
from match_handler.service.metrics import remove_worker_gauges, serve_metrics, set_metrics_folder
from match_handler.service.ports import bind_port, free_port
from match_handler.service.server import run_until
from match_handler.service.signals import StopRequest, install_stop_handlers
from match_handler.service.tls import check_tls
from match_handler.service.trace_config import tracing_factory

log = logging.getLogger(__name__)

POLL_SECONDS: Final = 0.5
"""The interval between two checks for dead workers."""
_spawn = multiprocessing.get_context("spawn")


def _bind_shared_port(address: Address) -> socket.socket:
    """Bind the port for the workers; fail if another program uses it, even if that program shares it."""
    return bind_port(free_port(address), shared=True)


def _stop_with_parent(stop: StopRequest) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    stop.set()


def _run_worker(settings: Settings) -> None:
    configure_logs(settings.log_level)
    stop = install_stop_handlers()
    threading.Thread(target=_stop_with_parent, args=(stop,), daemon=True).start()
    run_until(stop, settings, shared_port=True)


def _start_worker(settings: Settings) -> BaseProcess:
    worker = _spawn.Process(target=_run_worker, args=(settings,), name="set-match-worker")
    worker.start()
    return worker


def _replace_dead_workers(workers: list[BaseProcess], settings: Settings) -> None:
    for index, worker in enumerate(workers):
        if not worker.is_alive():
            remove_worker_gauges(worker.pid)
            log.error("worker died", extra={"worker": worker.pid, "exit": worker.exitcode})
            workers[index] = _start_worker(settings)


def _serve_with_workers(settings: Settings, stop: StopRequest) -> None:
    with (
        _bind_shared_port(settings.listen) as bound,
        tempfile.TemporaryDirectory(prefix="set-match-") as folder,
    ):
        worker_settings = replace(settings, listen=Address(settings.listen.host, bound.getsockname()[1]))
        if settings.metrics_port is not None:
            set_metrics_folder(folder)
            _serve_metrics(settings.metrics_port, folder)
        workers = [_start_worker(worker_settings) for _ in range(settings.workers)]
        while not stop.wait(POLL_SECONDS):
            _replace_dead_workers(workers, worker_settings)
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()


def _serve_metrics(port: int, folder: str | None) -> None:
    bound_port = serve_metrics(Address("0.0.0.0", port), folder)  # noqa: S104 - Prometheus is on another machine
    log.info("metrics", extra={"port": bound_port})


def serve(settings: Settings) -> None:
    """Serve with `settings.workers` processes until SIGTERM or SIGINT, and replace workers that die.

    Raises:
        SettingsError: an address, a TLS file or the trace exporter cannot be used.
    """
    stop = install_stop_handlers()
    check_tls(settings.tls)
    tracing_factory(os.environ)  # Reports a wrong setting before any worker is started.
    if settings.workers > 1:
        _serve_with_workers(settings, stop)
        return
    if settings.metrics_port is not None:
        _serve_metrics(settings.metrics_port, None)
    run_until(stop, settings)
