"""Processes pinned to one core each, so that server and client do not compete for processor time."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class CoresError(RuntimeError):
    """The process may use too few cores; the message has the required number."""


def two_cores() -> tuple[int, int]:
    """Return two cores that this process may use.

    Raises:
        CoresError: It may use only one.
    """
    allowed = sorted(os.sched_getaffinity(0))
    if len(allowed) < 2:
        raise CoresError(
            f"this process may use {len(allowed)} core, 2 are needed: one each for server and client"
        )
    return allowed[0], allowed[1]


@contextmanager
def _only_on(core: int) -> Iterator[None]:
    """Pin this thread, and processes it starts meanwhile, to one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def start_on(core: int, command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a process that is pinned to one core."""
    with _only_on(core):
        return subprocess.Popen(command, **options)


@contextmanager
def running_on(core: int, command: Sequence[str]) -> Iterator[int]:
    """Run a process on one core and end it on exit; yield its process id."""
    process = start_on(core, command)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()
