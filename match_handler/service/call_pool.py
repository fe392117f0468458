"""The threads that calls run on, and how many calls wait for one: the sign of a service that is too small."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from match_handler.service.metrics import WAITING

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class CallPool(ThreadPoolExecutor):
    """A pool whose waiting calls are in the metrics."""

    def submit(
        self, fn: Callable[_Given, _Result], /, *args: _Given.args, **kwargs: _Given.kwargs
    ) -> Future[_Result]:
        """Lets a call run as soon as a thread is free."""

        def begin() -> _Result:
            WAITING.dec()
            return fn(*args, **kwargs)

        WAITING.inc()
        try:
            return super().submit(begin)
        except RuntimeError:
            WAITING.dec()
            raise
