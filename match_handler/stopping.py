"""The word to stop: SIGTERM and SIGINT, however often and however close together they come."""

import atexit
import signal
from collections.abc import Callable
from queue import Empty, SimpleQueue
from types import FrameType

Handler = Callable[[int, FrameType | None], None] | signal.Handlers


class StopRequest:
    """Is made once and for all.

    A `threading.Event` would not do: setting it takes a lock, and a second signal that interrupts the
    handler of the first would wait for that lock for ever. `SimpleQueue.put` is made for signal handlers.
    """

    def __init__(self) -> None:
        self._words: SimpleQueue[None] = SimpleQueue()

    def make(self) -> None:
        """Asks to stop; may be called from signal handlers and from any thread."""
        self._words.put(None)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Waits until somebody asks, at most `timeout_s` seconds; tells whether somebody has asked."""
        try:
            self._words.get(timeout=timeout_s)
        except Empty:
            return False
        self._words.put(None)
        return True


def stop_requested() -> StopRequest:
    """The request that SIGTERM and SIGINT make."""
    request = StopRequest()

    def ask(_number: int, _frame: FrameType | None) -> None:
        request.make()

    _handle_with(ask)
    atexit.register(_handle_with, signal.SIG_IGN)  # Python's exit would let one more signal kill
    return request


def _handle_with(handler: Handler) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handler)
