"""Stop request by SIGTERM and SIGINT, for any number of signals on any thread."""

import atexit
import os
import select
import signal
from contextlib import suppress
from types import FrameType
from typing import Final

STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class StopRequest:
    """Event that signal handlers can set: a pipe that has a byte in it after the first `set`.

    A `threading.Event` is not sufficient. Python runs signal handlers only on the main thread, and only
    between two instructions of Python code. A wait for a lock would never end if another thread received the
    signal, or if the signal arrived immediately before the wait. The byte stays in the pipe, because nothing
    reads it.
    """

    def __init__(self) -> None:
        self.reader, self.wakeup = os.pipe()
        for end in (self.reader, self.wakeup):
            os.set_blocking(end, False)

    def set(self) -> None:
        """Request the stop. Signal handlers and all threads can call this."""
        with suppress(BlockingIOError):
            os.write(self.wakeup, b"\0")

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the stop request, at most `timeout_s` seconds, and return whether it was made."""
        readable, _, _ = select.select([self.reader], [], [], timeout_s)
        return bool(readable)


def install_stop_handlers() -> StopRequest:
    """Return a stop request that SIGTERM and SIGINT set through `signal.set_wakeup_fd`."""
    request = StopRequest()
    signal.set_wakeup_fd(request.wakeup, warn_on_full_buffer=False)
    for number in STOP_SIGNALS:
        signal.signal(number, _do_nothing)
    atexit.register(_ignore_stop_signals)
    return request


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """Handle a signal: Python writes to the wakeup descriptor only for signals that have a handler."""


def _ignore_stop_signals() -> None:
    """Ignore further stop signals: Python restores the default handlers at exit, and they end the process."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
