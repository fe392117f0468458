"""Processes that keep to one processor core each: server and client take no time from each other."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class CoresError(RuntimeError):
    """The machine has too few cores for this process; the message says how many are needed."""


def two_cores() -> tuple[int, int]:
    """Two cores that this process may use.

    Raises:
        CoresError: it may use one only.
    """
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        raise CoresError(
            f"this process may use {len(allowed)} core, 2 are needed: one each for server and client"
        )
    return allowed[0], allowed[1]


@contextmanager
def _only_on(core: int) -> Iterator[None]:
    """Keeps this thread, and what it starts meanwhile, on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def start_on(core: int, command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Starts a process that stays on one core."""
    with _only_on(core):
        return subprocess.Popen(command, **options)


@contextmanager
def running_on(core: int, command: Sequence[str]) -> Iterator[int]:
    """Runs a process on one core and ends it; the value is its id."""
    process = start_on(core, command)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()
