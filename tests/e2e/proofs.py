"""Collect the proofs: tests of all folders that carry a `proves`, `fault` or `thread` mark, and Go tests."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from demo.stack.settings import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

GO_PROOF: Final = re.compile(r"^//proves:(fault|thread) (\S+)\nfunc (\w+)\(", re.MULTILINE)
LINE_PREFIX: Final = "proof\t"


class Proof(NamedTuple):
    """A test: its path in the project and its name without parameters."""

    path: str
    name: str

    @property
    def sentence(self) -> str:
        """The test name as words."""
        if self.path.endswith(".go"):
            words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", self.name)
            return words.removeprefix("Test ").removeprefix("Fuzz ").lower()
        return self.name.removeprefix("test_").replace("_", " ")


Proofs = dict[tuple[str, ...], list[Proof]]
"""Proofs by key: ("proves", rule, mode), ("fault", kind) or ("thread", number)."""


def keys_of(item: pytest.Item) -> Iterator[tuple[str, ...]]:
    """Return the keys that the marks of a test name."""
    for mark in item.iter_markers("proves"):
        rule, *modes = mark.args
        yield from (("proves", rule, mode) for mode in modes)
    for kind in ("fault", "thread"):
        yield from ((kind, str(arg)) for mark in item.iter_markers(kind) for arg in mark.args)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Print the proofs among the collected tests, one per line (hook of this module as a pytest plugin)."""
    for item in items:
        name = item.name.partition("[")[0]
        for key in keys_of(item):
            path = item.path.relative_to(PROJECT).as_posix()
            print(LINE_PREFIX + "\t".join((path, name, *key)))  # noqa: T201 - read by `collected`


def collected() -> Proofs:
    """Return the proofs of all tests, each test once for each key."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "tests.e2e.proofs", "tests"]
    completed = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    proofs: Proofs = defaultdict(list)
    output = completed.stdout.splitlines()
    lines = (line.removeprefix(LINE_PREFIX) for line in output if line.startswith(LINE_PREFIX))
    for line in dict.fromkeys(lines):
        path, name, *key = line.split("\t")
        proofs[(*key,)].append(Proof(path, name))
    for proof, go_key in go_proofs():
        proofs[go_key].append(proof)
    return proofs


def go_proofs() -> Iterator[tuple[Proof, tuple[str, ...]]]:
    """Return the Go tests with a comment such as `//proves:thread 1`, and the key of each."""
    for path in sorted((PROJECT / "nakama").glob("*_test.go")):
        for kind, number, name in GO_PROOF.findall(path.read_text()):
            yield Proof(path.relative_to(PROJECT).as_posix(), name), (kind, number)
