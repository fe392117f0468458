"""The service as a separate process: `set-match serve`, its log lines and its exit status."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import psutil

COMMAND: Final = str(Path(sys.executable).with_name("set-match"))
TIMEOUT_SECONDS: Final = 60
"""Long enough for a busy machine; it is not a measurement."""


def clean_environment(**settings: str) -> dict[str, str]:
    """Return this environment without settings of the service, plus the given settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SET_MATCH_")}
    return {**kept, **settings}


def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command that ends without a signal."""
    return subprocess.run(
        [COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_SECONDS,
        env=clean_environment(**settings),
    )


def error_line(outcome: subprocess.CompletedProcess[str]) -> str:
    """Return the error line of a command that ended with the exit status of a wrong setting."""
    assert outcome.returncode == 2
    assert outcome.stdout == ""
    assert "Traceback" not in outcome.stderr
    return outcome.stderr.strip().splitlines()[-1]


class Serving:
    """A running `set-match serve`."""

    def __init__(self, *arguments: str, command: Sequence[str] = (COMMAND,), **settings: str) -> None:
        self._process = subprocess.Popen(
            [*command, "serve", "--listen", "127.0.0.1:0", *arguments],
            stderr=subprocess.PIPE,
            text=True,
            env=clean_environment(**settings),
        )
        self.lines: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._closed = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            with self._changed:
                self.lines.append(json.loads(line))
                self._changed.notify_all()
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    @property
    def pid(self) -> int:
        return self._process.pid

    def logged(self, message: str, count: int = 1) -> list[dict[str, Any]]:
        """Wait for `count` lines with this message and return them."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._with(message)) >= count or self._closed, TIMEOUT_SECONDS)
            found = self._with(message)
        assert len(found) >= count, f"no {message!r} in {self.lines}"
        return found

    def _with(self, message: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["msg"] == message]

    def metrics(self) -> str:
        """Return the metrics as Prometheus receives them."""
        port = self.logged("metrics")[0]["port"]
        return httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=TIMEOUT_SECONDS, trust_env=False).text

    def port(self, workers: int = 1) -> int:
        """Return the port of the service, after `workers` workers serve."""
        (port,) = {int(line["address"].rpartition(":")[2]) for line in self.logged("serving", workers)}
        return port

    def workers(self) -> list[psutil.Process]:
        """Return the worker processes, without the resource tracker of Python."""
        children = psutil.Process(self.pid).children()
        return [child for child in children if "spawn_main" in " ".join(child.cmdline())]

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def wait(self) -> int:
        """Wait for the end and return the exit status, after the whole log has been read."""
        status = self._process.wait(TIMEOUT_SECONDS)
        self._reader.join(TIMEOUT_SECONDS)
        return status

    def close(self) -> None:
        """Kill the service and its children if they still run."""
        if self._process.poll() is None:
            processes = [psutil.Process(self.pid), *psutil.Process(self.pid).children(recursive=True)]
            for process in processes:
                process.kill()
        self.wait()
        assert self._process.stderr is not None
        self._process.stderr.close()


@contextmanager
def served(*arguments: str, command: Sequence[str] = (COMMAND,), **settings: str) -> Iterator[Serving]:
    serving = Serving(*arguments, command=command, **settings)
    try:
        yield serving
    finally:
        serving.close()
