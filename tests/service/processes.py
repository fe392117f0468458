"""The service as a process of its own: `set-match serve`, its log lines, and its end."""

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
PATIENCE_SECONDS: Final = 60
"""Long enough for a busy machine; nothing is measured."""


def clean_environment(**settings: str) -> dict[str, str]:
    """This environment without the service's settings, and with these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SET_MATCH_")}
    return {**kept, **settings}


def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """A command that ends by itself."""
    return subprocess.run(
        [COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
        env=clean_environment(**settings),
    )


def refused_line(outcome: subprocess.CompletedProcess[str]) -> str:
    """The one line that says why; the exit status is that of a wrong setting."""
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
        """The lines with this message, once there are so many."""
        with self._changed:
            self._changed.wait_for(
                lambda: len(self._with(message)) >= count or self._closed, PATIENCE_SECONDS
            )
            found = self._with(message)
        assert len(found) >= count, f"no {message!r} in {self.lines}"
        return found

    def _with(self, message: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["msg"] == message]

    def metrics(self) -> str:
        """What Prometheus is told."""
        port = self.logged("metrics")[0]["port"]
        return httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_SECONDS).text

    def port(self, workers: int = 1) -> int:
        """Where it serves, once so many workers do."""
        (port,) = {int(line["address"].rpartition(":")[2]) for line in self.logged("serving", workers)}
        return port

    def workers(self) -> list[psutil.Process]:
        """Its worker processes, without the helper that Python starts beside them."""
        children = psutil.Process(self.pid).children()
        return [child for child in children if "spawn_main" in " ".join(child.cmdline())]

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def wait(self) -> int:
        """Its exit status, when all it wrote has been read."""
        status = self._process.wait(PATIENCE_SECONDS)
        self._reader.join(PATIENCE_SECONDS)
        return status

    def close(self) -> None:
        """Ends it whatever state it is in."""
        if self._process.poll() is None:
            family = [psutil.Process(self.pid), *psutil.Process(self.pid).children(recursive=True)]
            for process in family:
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
