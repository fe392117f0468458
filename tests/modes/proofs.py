"""Collects which test proves what, from the markers of all folders and from the Go tests."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from demo.settings import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

MARKS: Final = ("proves", "fault", "thread")
GO_PROOF: Final = re.compile(r"^//proves:(fault|thread) (\S+)\nfunc (\w+)\(", re.MULTILINE)
SIGN: Final = "proof\t"


class Proof(NamedTuple):
    """A test, as a path in the project and a name; parameters do not matter."""

    path: str
    name: str

    @property
    def sentence(self) -> str:
        """The name as words."""
        if self.path.endswith(".go"):
            words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", self.name)
            return words.removeprefix("Test ").removeprefix("Fuzz ").lower()
        return self.name.removeprefix("test_").replace("_", " ")


Proofs = dict[tuple[str, ...], list[Proof]]
"""By ("proves", rule, mode), ("fault", kind) or ("thread", number)."""


def claims_of(item: pytest.Item) -> Iterator[tuple[str, ...]]:
    """What one test is marked to prove."""
    for mark in item.iter_markers("proves"):
        rule, *modes = mark.args
        yield from (("proves", rule, mode) for mode in modes)
    for kind in MARKS[1:]:
        yield from ((kind, str(arg)) for mark in item.iter_markers(kind) for arg in mark.args)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """As a plugin of pytest: print what the collected tests prove, a line each."""
    for item in items:
        name = item.name.partition("[")[0]
        for claim in claims_of(item):
            path = item.path.relative_to(PROJECT).as_posix()
            print(SIGN + "\t".join((path, name, *claim)))  # noqa: T201 - read by `collected`


def collected() -> Proofs:
    """What all tests prove, each test once for each claim."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "tests.modes.proofs", "tests"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    proofs: Proofs = defaultdict(list)
    lines = (line.removeprefix(SIGN) for line in done.stdout.splitlines() if line.startswith(SIGN))
    for line in dict.fromkeys(lines):
        path, name, *claim = line.split("\t")
        proofs[(*claim,)].append(Proof(path, name))
    for proof, proven in from_go():
        proofs[proven].append(proof)
    return proofs


def from_go() -> Iterator[tuple[Proof, tuple[str, ...]]]:
    """What the Go tests say that they prove, in a comment `//proves:thread 1`."""
    for path in sorted((PROJECT / "nakama").glob("*_test.go")):
        for kind, number, name in GO_PROOF.findall(path.read_text()):
            yield Proof(path.relative_to(PROJECT).as_posix(), name), (kind, number)
