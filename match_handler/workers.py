"""Several server processes that share one port: one interpreter uses one core."""

import logging
import multiprocessing
import multiprocessing.connection
import socket
import threading
from dataclasses import replace
from multiprocessing.process import BaseProcess
from typing import Final

from match_handler.config import Address, Settings, SettingsError
from match_handler.logs import configure_logs
from match_handler.server import run_until, stop_requested

log = logging.getLogger(__name__)

POLL_SECONDS: Final = 0.5
_spawn = multiprocessing.get_context("spawn")


def _bound(address: Address, *, shared: bool) -> socket.socket:
    host = address.host.strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    held = socket.socket(family, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT if shared else socket.SO_REUSEADDR, 1)
    try:
        held.bind((host, address.port))
    except OSError as error:
        held.close()
        raise SettingsError(f"listen: {address} cannot be used: {error.strerror}") from error
    return held


def _hold_port(address: Address) -> socket.socket:
    """Takes the port for the workers to share; fails where any other program has it."""
    probe = _bound(address, shared=False)
    free = Address(address.host, probe.getsockname()[1])
    probe.close()
    return _bound(free, shared=True)


def _watch_parent(stop: threading.Event) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    multiprocessing.connection.wait([parent.sentinel])
    stop.set()


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
            log.error("worker died", extra={"worker": worker.pid, "exit": worker.exitcode})
            workers[index] = _start(settings)


def serve(settings: Settings) -> None:
    """Serves until SIGTERM or SIGINT with as many processes as set; one that dies is replaced.

    Raises:
        SettingsError: the address cannot be used, or a TLS file cannot be read.
    """
    stop = stop_requested()
    if settings.workers == 1:
        run_until(stop, settings)
        return
    with _hold_port(settings.listen) as held:
        shared = replace(settings, listen=Address(settings.listen.host, held.getsockname()[1]))
        workers = [_start(shared) for _ in range(settings.workers)]
        while not stop.wait(POLL_SECONDS):
            _replace_dead(workers, shared)
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()
