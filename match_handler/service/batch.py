"""How many calls share one: the bound that keeps a batch short, and what Prometheus is told of it."""

from typing import Final

from prometheus_client import Histogram

from match_handler.service.codec import RequestError

MAX_CALLS: Final = 64
"""Calls in one `MatchBatch` (match_handler.proto): the calls of a batch wait for each other."""

CALLS: Final = Histogram(
    "set_match_batch_calls", "MatchLoop calls in one MatchBatch.", buckets=(1, 2, 4, 8, 16, 32, 64)
)


def check_batch(calls: int) -> None:
    """Refuses a batch that is too large, and counts the calls of any other.

    Raises:
        RequestError: they are more than one batch may have.
    """
    if calls > MAX_CALLS:
        raise RequestError(f"calls: {calls} in one batch, allowed are at most {MAX_CALLS}")
    CALLS.observe(calls)
