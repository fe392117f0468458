"""Lock of a stack's folder: one stack at a time, and none while programs of an earlier stack still run."""

from __future__ import annotations

import fcntl
import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WAIT_S = 20.0
POLL_S = 0.1


class FolderInUseError(RuntimeError):
    """Another stack uses the folder. The error text contains the folder."""


class FolderLock:
    """A file lock that all programs of a stack inherit.

    It is free when the last of them has ended, also after a crash of the stack.
    """

    def __init__(self, path: Path, report: Callable[[str], None] = print) -> None:
        """Acquire the lock; report if it has to wait.

        Raises:
            FolderInUseError: The lock is not free after 20 s.
        """
        self._path = path
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if not self._try_acquire():
            report(f"another stack runs in {path.parent}; waiting {WAIT_S:.0f} s for its end")
            self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + WAIT_S
        while not self._try_acquire():
            if time.monotonic() > deadline:
                self.release()
                raise FolderInUseError(
                    f"another stack runs in {self._path.parent}: stop it, "
                    "or choose SET_DEMO_FOLDER=ANOTHER and SET_DEMO_PORT=PORT"
                )
            time.sleep(POLL_S)

    def release(self) -> None:
        """Release the lock. Programs that inherited it still hold it."""
        os.close(self.descriptor)

    def _try_acquire(self) -> bool:
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
