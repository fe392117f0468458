"""The program `live` of deploy/check, a small Prometheus made of the real one's parts, and what it says."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import contextmanager
from queue import Queue
from typing import TYPE_CHECKING, Any, NamedTuple

from demo.settings import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ANSWERS_WITHIN_S = 60
BUILT_WITHIN_S = 600


class Shown(NamedTuple):
    """What a panel shows for one of its questions."""

    panel: str
    unit: str
    legend: str
    expr: str
    values: list[float]


class Prometheus:
    """The running program.

    Attributes:
        fired: Every alarm that has gone off.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.fired: set[str] = set()
        self._process = process
        self._said: Queue[dict[str, Any]] = Queue()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def wait_for(self, alarm: str, *, firing: bool) -> None:
        """Until an alarm goes off, or ends."""
        while self.next() != {"alarm": alarm, "firing": firing}:
            pass

    def panels(self) -> list[Shown]:
        """What all panels show now."""
        assert self._process.stdin is not None
        print("show", file=self._process.stdin, flush=True)
        while True:
            said = self.next()
            if "panels" in said:
                return [Shown(**one) for one in said["panels"]]

    def next(self, within_s: float = ANSWERS_WITHIN_S) -> dict[str, Any]:
        """What it says next."""
        said = self._said.get(timeout=within_s)
        assert said, "the program ended; standard error says why"
        if said.get("firing"):
            self.fired.add(said["alarm"])
        return said

    def end(self) -> None:
        """Ends the program and hears it out."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._listener.join()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.put(json.loads(line))
        self._said.put({})


@contextmanager
def prometheus(ports: Iterable[int]) -> Iterator[Prometheus]:
    """Scrapes these ports of this machine; both have answered when it is there."""
    targets = ",".join(f"127.0.0.1:{port}" for port in ports)
    command = [str(PROJECT / "scripts" / "go"), "run", "./live", f"-targets={targets}"]
    with subprocess.Popen(
        command,
        cwd=PROJECT / "deploy" / "check",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        watching = Prometheus(process)
        try:
            assert watching.next(BUILT_WITHIN_S) == {"scraped": True}
            yield watching
        finally:
            watching.end()
