"""The word to stop: SIGTERM and SIGINT, whichever thread they reach, however often and close together."""

import atexit
import os
import select
import signal
from contextlib import suppress
from types import FrameType
from typing import Final

STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class StopRequest:
    """Is made once and for all: a pipe that holds a byte from then on and is never read.

    The thread that waits is not always the one that the system interrupts, and Python's handler runs only
    when the main thread comes back to Python: waiting on a lock would last for ever where the signal
    reached another thread, or came just before the wait. A byte in a pipe is there in any case.
    """

    def __init__(self) -> None:
        self._made, self.wakeup = os.pipe()
        for end in (self._made, self.wakeup):
            os.set_blocking(end, False)

    def make(self) -> None:
        """Asks to stop; may be called from signal handlers and from any thread."""
        with suppress(BlockingIOError):
            os.write(self.wakeup, b"\0")

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits until somebody asks, at most `timeout_s` seconds; tells whether somebody has asked."""
        made, _, _ = select.select([self._made], [], [], timeout_s)
        return bool(made)


def stop_requested() -> StopRequest:
    """The request that SIGTERM and SIGINT make: the system's own handler writes to its pipe."""
    request = StopRequest()
    signal.set_wakeup_fd(request.wakeup, warn_on_full_buffer=False)
    for number in STOP_SIGNALS:
        signal.signal(number, _written_already)
    atexit.register(_ignore)
    return request


def _written_already(_number: int, _frame: FrameType | None) -> None:
    """Python's half of the handler, without which the system's half would not write."""


def _ignore() -> None:
    """Python's exit puts the default handlers back: one more signal would kill what stops as asked."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
