"""Thread pool for calls, with a metric for the calls that wait for a thread."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from match_handler.service.metrics import WAITING

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


class CallPool(ThreadPoolExecutor):
    """Thread pool that counts its queued calls in `set_match_calls_waiting`.

    A high count means that the service needs more replicas or workers.
    """

    def submit(
        self, fn: Callable[_Args, _Result], /, *args: _Args.args, **kwargs: _Args.kwargs
    ) -> Future[_Result]:
        """Enqueue a call for the next free thread."""

        def run() -> _Result:
            WAITING.dec()
            return fn(*args, **kwargs)

        WAITING.inc()
        try:
            return super().submit(run)
        except RuntimeError:
            WAITING.dec()
            raise
