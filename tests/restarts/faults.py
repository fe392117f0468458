"""Restarts of Nakama, alone and together with other programs.

Each function returns when all programs run again. Its result is the time of Nakama's last start, on the
monotonic clock. Call it from the main thread, because the programs end with the thread that started them.
"""

from __future__ import annotations

import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

from demo.stack.native import NAKAMA
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from tests.support.fixtures import StackUnderTest

STARTS_KILLED = 2
LONGEST_START_S = 0.5
"""A start is killed after a random part of this time. Nakama needs about as long to revive its matches."""


def kill(stack: StackUnderTest) -> float:
    """Kill Nakama."""
    stack.kill_nakama()
    return start(stack)


def terminate(stack: StackUnderTest) -> float:
    """Stop Nakama with SIGTERM."""
    stack.stop_nakama()
    return start(stack)


def kill_with_service(stack: StackUnderTest) -> float:
    """Kill Nakama and the rules service."""
    stack.kill_rules()
    stack.kill_nakama()
    started = start(stack)
    stack.start_rules()
    return started


def kill_with_database(stack: StackUnderTest) -> float:
    """Kill PostgreSQL and Nakama."""
    stack.kill_database()
    stack.kill_nakama()
    stack.start_database()
    return start(stack)


def kill_starts(stack: StackUnderTest) -> float:
    """Kill Nakama, and then twice during its start."""
    stack.kill_nakama()
    for _ in range(STARTS_KILLED):
        _kill_start(stack)
    return start(stack)


def start(stack: StackUnderTest) -> float:
    """Start Nakama."""
    started = time.monotonic()
    stack.start_nakama()
    return started


def _kill_start(stack: StackUnderTest) -> None:
    """Start Nakama and kill it after a random time; the thread of the start lives until then."""
    with ThreadPoolExecutor(1) as pool:
        starting = pool.submit(stack.start_nakama)
        pid = wait_until(lambda: stack.pids.get(NAKAMA))
        time.sleep(random.uniform(0.0, LONGEST_START_S))
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        starting.exception()
    stack.kill_nakama()  # after a complete start, the supervisor would start it again
