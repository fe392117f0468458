"""`set-match` that records its calls and has the fault that a file names: `faulty_serve FOLDER serve ...`.

FOLDER/fault contains the fault:

- nothing: none
- "hang": handlers do not return; the process answers the pings of HTTP/2
- "fail": every call returns INTERNAL
- "no start": workers cannot start

A line in FOLDER/calls is one received call: monotonic seconds, process id, method, match id.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from match_handler.cli import main
from match_handler.service import errors, servicer, workers
from match_handler.service.config import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

Request = TypeVar("Request")
Response = TypeVar("Response")

FOLDER = Path(sys.argv[1])
FAULT = FOLDER / "fault"
POLL_S = 0.01

run_call = errors.run_call
run_until = workers.run_until  # type: ignore[attr-defined]
calls = os.open(FOLDER / "calls", os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def run_with_fault(
    name: str, handle: Callable[[Request], Response], request: Request
) -> Response | errors.Failure:
    """Record the call and run it with the fault. A batch has no fault; each of its calls has."""
    if name == "MatchBatch":
        return run_call(name, handle, request)
    os.write(calls, f"{time.monotonic()} {os.getpid()} {name} {getattr(request, 'match_id', '')}\n".encode())
    while FAULT.read_text() == "hang":
        time.sleep(POLL_S)
    return run_call(name, fail if FAULT.read_text() == "fail" else handle, request)


def fail(_: object) -> NoReturn:
    """Raise an exception, as a handler with a bug does."""
    raise RuntimeError("failed by the test")


def start_unless_prevented(*arguments: Any, **options: Any) -> None:
    if FAULT.read_text() == "no start":
        raise SettingsError("prevented by the test")
    run_until(*arguments, **options)


errors.run_call = servicer.run_call = run_with_fault  # type: ignore[attr-defined]
workers.run_until = start_unless_prevented  # type: ignore[attr-defined]

if __name__ == "__main__":
    main(sys.argv[2:])
