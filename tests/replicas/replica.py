"""A replica of the rules service on a loopback address of its own, with a fault if a test wants one."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, NamedTuple

import httpx

from demo.stack.ports import free_port
from demo.stack.service import Program, Service

if TYPE_CHECKING:
    from pathlib import Path


class Call(NamedTuple):
    """A call that a replica received: when, on the monotonic clock, and in which process."""

    at_s: float
    pid: int
    method: str
    match_id: str


class Replica:
    """A process of the rules service.

    Attributes:
        host: Its loopback address.
    """

    def __init__(self, host: str, port: int, folder: Path, workers: int = 1) -> None:
        """Create a replica that is not started. Its log and the records of its calls are in the folder."""
        self.host = host
        self._folder = folder
        self._workers = workers
        self._metrics_port = free_port()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.set_fault("")
        program = Program(
            name=f"replica {host}",
            command=(sys.executable, "-m", "tests.replicas.faulty_serve", str(folder), "serve"),
            log=folder / "log",
            is_ready=lambda: True,
            env={
                "SET_MATCH_LISTEN": f"{host}:{port}",
                "SET_MATCH_WORKERS": str(workers),
                "SET_MATCH_METRICS_PORT": str(self._metrics_port),
                "SET_MATCH_ALLOW_SEED": "1",
            },
        )
        self._service = Service(program)

    def start(self) -> None:
        """Start the process. `all_workers_serve` is true when it is ready."""
        self._service.start()

    def all_workers_serve(self) -> bool:
        """Return whether each worker has logged that it serves."""
        return self._service.program.log.read_text().count('"serving"') == self._workers

    def stop(self) -> None:
        """Stop the process with SIGTERM."""
        self._service.stop()

    def kill(self) -> None:
        """Kill the process, like `kill -9`."""
        self._service.kill()

    def set_fault(self, fault: str) -> None:
        """Set the fault (`faulty_serve`); an empty text ends it."""
        new = self._folder / "fault.new"
        new.write_text(fault)
        new.replace(self._folder / "fault")

    def health(self) -> int | None:
        """Return the status code of the health check; None if there is no answer."""
        url = f"http://127.0.0.1:{self._metrics_port}/healthz"
        try:
            return httpx.get(url, trust_env=False).status_code
        except httpx.HTTPError:
            return None

    def calls(self) -> list[Call]:
        """Return the received calls, including the checks of the plugin."""
        path = self._folder / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        return [read_call(line) for line in lines]

    def match_calls(self) -> list[Call]:
        """Return the received calls that belong to a match."""
        return [call for call in self.calls() if call.match_id]


def read_call(line: str) -> Call:
    at_s, pid, method, match_id = line.split(" ")
    return Call(float(at_s), int(pid), method, match_id)
