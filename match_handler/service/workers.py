"""Worker processes that share one port, because one Python interpreter uses one core."""

import logging
import multiprocessing
import multiprocessing.connection
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Final

from match_handler.service.config import Address, Settings, SettingsError
from match_handler.service.http_server import all_interfaces, serve_http
from match_handler.service.logs import configure_logs
from match_handler.service.metrics import metrics_folder, remove_worker_metrics
from match_handler.service.ports import bind_port, free_port
from match_handler.service.server import run_until
from match_handler.service.signals import StopRequest, install_stop_handlers
from match_handler.service.tls_check import check_tls
from match_handler.service.trace_config import tracing_factory

log = logging.getLogger(__name__)

POLL_SECONDS: Final = 0.5
"""The interval between two checks for dead workers."""
RESTART_DELAYS: Final = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds until a dead worker is restarted, by the number of failed starts in a row; then the last one."""
_spawn = multiprocessing.get_context("spawn")


def restart_delay(failed_starts: int) -> float:
    """Return the seconds until a dead worker is restarted, after this number of failed starts in a row."""
    return RESTART_DELAYS[min(failed_starts, len(RESTART_DELAYS) - 1)]


class _Report:
    """Readiness of a worker; sends each change to the parent."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def set(self) -> None:
        self._send(serving=True)

    def clear(self) -> None:
        self._send(serving=False)

    def _send(self, *, serving: bool) -> None:
        with suppress(OSError):  # The parent has been killed; then this worker stops too.
            self._pipe.send(serving)


def _stop_with_parent(stop: StopRequest) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    stop.set()


def _run_worker(settings: Settings, pipe: Connection) -> None:
    configure_logs(settings.log_level)
    stop = install_stop_handlers()
    threading.Thread(target=_stop_with_parent, args=(stop,), daemon=True).start()
    try:
        run_until(stop, settings, _Report(pipe), shared_port=True)
    except SettingsError as error:
        log.error("worker cannot start", extra={"problem": str(error)})  # noqa: TRY400 - one line is enough
        sys.exit(2)


class Worker:
    """A worker process that is restarted when it ends."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._failed_starts = 0
        self._restart_at: float | None = None
        self._start()

    def _start(self) -> None:
        self.serving = self._served = False
        self._restart_at = None
        self.reports: Connection | None
        self.reports, reporter = _spawn.Pipe(duplex=False)
        self.process = _spawn.Process(
            target=_run_worker, args=(self._settings, reporter), name="set-match-worker"
        )
        self.process.start()
        reporter.close()

    def update(self) -> None:
        """Receive the reports of the process; restart it if it ended and the delay is over."""
        self._receive()
        if self.process.is_alive():
            return
        if self._restart_at is None:
            self._note_death()
        if self._restart_at is not None and time.monotonic() >= self._restart_at:
            self._start()

    def _receive(self) -> None:
        try:
            while self.reports is not None and self.reports.poll():
                self.serving = self.reports.recv()
                self._served = self._served or self.serving
        except (EOFError, OSError):
            self.serving = False
            if self.reports is not None:
                self.reports.close()
            self.reports = None

    def _note_death(self) -> None:
        self.serving = False
        self._failed_starts = 0 if self._served else self._failed_starts + 1
        delay = restart_delay(self._failed_starts)
        self._restart_at = time.monotonic() + delay
        remove_worker_metrics(self.process.pid, served=self._served)
        extra = {"worker": self.process.pid, "exit": self.process.exitcode, "restart_in_seconds": delay}
        log.error("worker died", extra=extra)


def _bind_shared_port(address: Address) -> socket.socket:
    """Bind the port for the workers; fail if another program uses it, even if that program shares it."""
    return bind_port(free_port(address), shared=True)


def _serve_with_workers(settings: Settings, stop: StopRequest) -> None:
    workers: list[Worker] = []

    def is_ready() -> bool:
        return not stop.wait(0) and any(worker.serving for worker in workers)

    with ExitStack() as stack:
        bound = stack.enter_context(_bind_shared_port(settings.listen))
        if settings.metrics_port is not None:
            folder = stack.enter_context(metrics_folder())
            _serve_http(settings, settings.metrics_port, is_ready, folder)
        worker_settings = replace(settings, listen=Address(settings.listen.host, bound.getsockname()[1]))
        workers.extend(Worker(worker_settings) for _ in range(settings.workers))
        while not stop.wait(0):
            reports = [worker.reports for worker in workers if worker.reports is not None]
            multiprocessing.connection.wait([stop.reader, *reports], POLL_SECONDS)
            for worker in workers:
                worker.update()
        for worker in workers:
            worker.process.terminate()
        for worker in workers:
            worker.process.join()


def _serve_http(settings: Settings, port: int, is_ready: Callable[[], bool], folder: str | None) -> None:
    bound_port = serve_http(all_interfaces(settings.listen, port), is_ready, folder)
    log.info("metrics", extra={"port": bound_port})


def serve(settings: Settings) -> None:
    """Serve with `settings.workers` processes until SIGTERM or SIGINT, and replace workers that die.

    Raises:
        SettingsError: an address, a TLS file or the trace exporter cannot be used.
    """
    stop = install_stop_handlers()
    if settings.workers > 1:
        check_tls(settings.tls)
        tracing_factory(os.environ)  # Reports a wrong setting before any worker is started.
        _serve_with_workers(settings, stop)
        return
    ready = threading.Event()
    if settings.metrics_port is not None:
        _serve_http(settings, settings.metrics_port, ready.is_set, None)
    run_until(stop, settings, ready)
