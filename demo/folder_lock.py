"""One stack per folder, and none while programs of an earlier one are still there."""

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
    """Another stack uses the folder; the message names it."""


class FolderLock:
    """A lock that every program of a stack holds by inheriting its file descriptor.

    It is free once the last of them is gone, however the stack ended.
    """

    def __init__(self, path: Path, say: Callable[[str], None] = print) -> None:
        """Wait for the lock, and say so where it is taken.

        Raises:
            FolderInUseError: It is still taken after 20 s.
        """
        self._path = path
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        if not self._take():
            say(f"another stack runs in {path.parent}; waiting {WAIT_S:.0f} s for its end")
            self._wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + WAIT_S
        while not self._take():
            if time.monotonic() > deadline:
                self.release()
                raise FolderInUseError(
                    f"another stack runs in {self._path.parent}: stop it, "
                    "or choose SET_DEMO_FOLDER=ANOTHER and SET_DEMO_PORT=PORT"
                )
            time.sleep(POLL_S)

    def release(self) -> None:
        """Let go. Programs that inherited the lock hold it on."""
        os.close(self.descriptor)

    def _take(self) -> bool:
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
