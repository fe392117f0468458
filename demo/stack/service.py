"""One program of the native stack: start, wait until ready, stop, kill."""

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

PARENT_DEATH = Path(__file__).with_name("parent_death.py")
POLL_S = 0.05
STOP_WITHIN_S = 15.0
LOG_LINES_SHOWN = 15


class ServiceError(RuntimeError):
    """A program of the stack did not start. The error text ends with the last lines of its log."""


@dataclass(frozen=True)
class Program:
    """Description of a program.

    Attributes:
        name: Name for messages.
        command: The program and its arguments.
        log: File that its output is appended to.
        is_ready: Returns whether the program is ready.
        env: Variables that are added to the environment.
        stop_signal: Signal to stop it.
        owner: User id and group id to run as. The default is the user of this process.
        ready_within_s: Timeout for the start, in seconds.
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
    """A program with its process, if it runs.

    The program has its own process group, so that Ctrl-C in a terminal does not reach it directly, and
    `kill` also ends its child processes.
    """

    def __init__(self, program: Program, inherited: tuple[int, ...] = ()) -> None:
        """Create a service. The program inherits the file descriptors in `inherited`."""
        self.program = program
        self._inherited = inherited
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process id, or None before the first start."""
        return self._process.pid if self._process else None

    @property
    def exit_code(self) -> int | None:
        """The exit code: None before the start and while it runs, negative for a signal."""
        return self._process.poll() if self._process else None

    @property
    def running(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the program and wait until it is ready.

        Raises:
            ServiceError: It ended, or was not ready in time. It does not run then.
        """
        if self._process is not None and self._process.returncode is None:
            self.kill()  # the end of the last process is not collected yet, and its children may still run
        self._process = self._spawn()
        deadline = time.monotonic() + self.program.ready_within_s
        while not self.program.is_ready():
            if not self.running:
                raise ServiceError(self._error_text(f"ended with {describe_exit(self.exit_code)}"))
            if time.monotonic() > deadline:
                self.kill()
                raise ServiceError(self._error_text(f"did not answer in {self.program.ready_within_s:.0f} s"))
            time.sleep(POLL_S)

    def stop(self) -> None:
        """Send the stop signal, wait, and kill the rest of the process group."""
        if self._process is None:
            return
        if self.running:
            self._process.send_signal(self.program.stop_signal)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_WITHIN_S)
        self.kill()

    def kill(self) -> None:
        """Kill the process group immediately, like `kill -9`."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def last_lines(self, count: int = LOG_LINES_SHOWN) -> str:
        """Return the last lines of its log."""
        if not self.program.log.exists():
            return ""
        return "\n".join(self.program.log.read_text(errors="replace").splitlines()[-count:])

    def _spawn(self) -> subprocess.Popen[bytes]:
        uid, gid = self.program.owner
        wrapper = [sys.executable, "-I", "-S", str(PARENT_DEATH)]
        wrapper_args = [str(os.getpid()), str(int(self.program.stop_signal)), str(uid), str(gid)]
        with self.program.log.open("ab") as log:
            return subprocess.Popen(
                [*wrapper, *wrapper_args, *self.program.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.program.env},
                start_new_session=True,
                pass_fds=self._inherited,
            )

    def _error_text(self, problem: str) -> str:
        return f"{self.program.name} {problem}; the end of {self.program.log}:\n{self.last_lines()}"


def describe_exit(code: int | None) -> str:
    """Describe an exit code in words."""
    if code is None:
        return "no exit code"
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
