"""Capacity of one core of the service: real claims compared with an echo on the same server process.

`python -m tests.perf.core [PART...]` prints rows and writes build/bench_core.json; the default is all parts.
The service runs on one processor core, the client (nakama/cmd/bench, in Go) on another. The client plays many
matches, so that each call has another state, and checks that every claim counts. The kinds of calls
alternate in short rounds. Compare only figures of the same run.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from demo.stack.ports import free_port
from demo.stack.settings import PROJECT
from tests.perf.report import say, show, write

CLIENT: Final = PROJECT / "build" / "bench" / "client"
PARTS: Final = {
    "closed": (),
    "batch": (),
    "open": ("-steps", "250,500,1000,1500,2000,3000,4000", "-rounds", "4", "-seconds", "3"),
}
"""The arguments of the client for each part."""

Row = dict[str, Any]


@contextmanager
def _only_on(core: int) -> Iterator[None]:
    """Pin this thread, and processes it starts meanwhile, to one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measure(part: str, flags: Sequence[str], cores: tuple[int, int]) -> list[Row]:
    """Return the rows of one part, measured on its own service.

    Args:
        part: A key of `PARTS`.
        flags: Further arguments of the client.
        cores: The cores of service and client.

    Raises:
        subprocess.CalledProcessError: The client failed; its error is on standard error.
    """
    address = f"127.0.0.1:{free_port()}"
    serve = ("-m", "tests.perf.served", "serve", "--listen", address, "--log-level", "warning")
    with _only_on(cores[0]):
        service = subprocess.Popen([sys.executable, *serve])
    try:
        command = [str(CLIENT), "-addr", address, "-pid", str(service.pid), *flags, part]
        with _only_on(cores[1]):
            client = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    finally:
        service.terminate()
        service.wait()
    rows: list[Row] = json.loads(client.stdout)
    return rows


def main(parts: Sequence[str]) -> int:
    """Measure these parts."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        say("this process may use 1 core, 2 are needed: one each for server and client")
        return 1
    found: dict[str, list[Row]] = {}
    for part in parts or PARTS:
        found[part] = measure(part, PARTS[part], (cores[0], cores[1]))
        for row in found[part]:
            show(part, row)
        write("bench_core", found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
