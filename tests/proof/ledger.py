"""The ledger of claims: what each proof claims, the number of tries, and whether all tests passed.

A proof is a test with `@pytest.mark.claim(what, how)` that counts its tries with the fixture `tried`. With
`--proof FILE` a test run prints the ledger as a table and writes it to that file.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest


@dataclass
class Entry:
    """One claim."""

    claim: str
    how: str
    times: int = 0
    result: str = "holds"

    def add(self, report: pytest.TestReport, times: int) -> None:
        """Add the result of one test of this claim."""
        self.times += times
        if report.outcome != "passed":
            self.result = "FAILS"


class Ledger:
    """The claims of a test run, in the order of the tests."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    def note(self, claim: str, how: str, times: int, report: pytest.TestReport) -> None:
        """Add the result of a test; several tests may share a claim."""
        self.entries.setdefault(claim, Entry(claim, how)).add(report, times)

    def write(self, path: Path) -> None:
        """Write every entry as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [asdict(entry) for entry in self.entries.values()]
        path.write_text(json.dumps(rows, indent=1) + "\n")

    def table(self) -> list[str]:
        """Return the lines of a Markdown table."""
        rows = [("claim", "method", "times", "result"), ("---", "---", "---:", "---")]
        rows += [(e.claim, e.how, f"{e.times:,}", e.result) for e in self.entries.values()]
        return [_row(row) for row in rows]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


class Tries:
    """Counts the tries of one test."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, times: int = 1) -> None:
        """Add to the count."""
        self.times += times
