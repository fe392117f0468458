"""One program of the native stack: started, waited for, stopped, killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LEASH = Path(__file__).with_name("leash.py")
POLL_S = 0.05
STOP_WITHIN_S = 15.0
LOG_LINES_SHOWN = 15


class ServiceError(RuntimeError):
    """A program of the stack did not come up; the message ends with the last lines of its log."""


@dataclass(frozen=True)
class Program:
    """What is to run.

    Attributes:
        name: How people call it.
        command: The program and its arguments.
        log: Where its output goes, appended.
        is_ready: Whether it answers.
        env: Additions to the environment.
        stop_signal: What asks it to stop.
        owner: User and group to run as; this process's own by default.
        ready_within_s: How long it may take to answer.
    """

    name: str
    command: tuple[str, ...]
    log: Path
    is_ready: Callable[[], bool]
    env: Mapping[str, str] = field(default_factory=dict)
    stop_signal: signal.Signals = signal.SIGTERM
    owner: tuple[int, int] = field(default_factory=lambda: (os.getuid(), os.getgid()))
    ready_within_s: float = 60.0


class Service:
    """One running (or not running) program.

    The program gets a process group of its own: Ctrl-C in a terminal reaches it through `stop` only, and
    `kill` takes its children along.
    """

    def __init__(self, program: Program, inherited: tuple[int, ...] = ()) -> None:
        """Take the program and the file descriptors that it shall hold as long as it lives."""
        self.program = program
        self._inherited = inherited
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process, if one was started."""
        return self._process.pid if self._process else None

    @property
    def exit_code(self) -> int | None:
        """How it ended: None while it runs or before its start, negative for a signal."""
        return self._process.poll() if self._process else None

    @property
    def running(self) -> bool:
        """Whether the process lives."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises:
            ServiceError: It ended, or did not answer in time; it is not running then.
        """
        self._process = self._spawn()
        deadline = time.monotonic() + self.program.ready_within_s
        while not self.program.is_ready():
            if not self.running:
                raise ServiceError(self._complaint(f"ended with {describe_exit(self.exit_code)}"))
            if time.monotonic() > deadline:
                self.kill()
                raise ServiceError(self._complaint(f"did not answer in {self.program.ready_within_s:.0f} s"))
            time.sleep(POLL_S)

    def stop(self) -> None:
        """Ask it to stop, wait, and kill what is left of its group."""
        if self._process is None:
            return
        if self.running:
            self._process.send_signal(self.program.stop_signal)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_WITHIN_S)
        self.kill()

    def kill(self) -> None:
        """End it and its group at once, like `kill -9`."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def last_lines(self, count: int = LOG_LINES_SHOWN) -> str:
        """Return the end of its log."""
        if not self.program.log.exists():
            return ""
        return "\n".join(self.program.log.read_text(errors="replace").splitlines()[-count:])

    def _spawn(self) -> subprocess.Popen[bytes]:
        uid, gid = self.program.owner
        leash = [sys.executable, "-I", "-S", str(LEASH)]
        tie = [str(os.getpid()), str(int(self.program.stop_signal)), str(uid), str(gid)]
        with self.program.log.open("ab") as log:
            return subprocess.Popen(
                [*leash, *tie, *self.program.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.program.env},
                start_new_session=True,
                pass_fds=self._inherited,
            )

    def _complaint(self, what: str) -> str:
        return f"{self.program.name} {what}; the end of {self.program.log}:\n{self.last_lines()}"


def describe_exit(code: int | None) -> str:
    """Say how a process ended, in words."""
    if code is None:
        return "no exit code"
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
