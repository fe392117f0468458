"""Measured effects of faults on players, and their table."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from _typeshed import DataclassInstance

COLUMNS = (
    "fault",
    "times",
    "duration (s)",
    "claims",
    "claims during the fault",
    "lost",
    "counted twice",
    "disconnections",
    "longest wait (s)",
)


@dataclass(frozen=True)
class Measurement:
    """The effects of a fault that occurred once or several times.

    Attributes:
        times: How often it occurred.
        duration_s: Its longest duration.
        claims: Claims from the start of the fault until two rounds after its end.
        during_fault: Claims that were sent or waited for an answer during the fault.
        lost: Claims without an answer.
        duplicates: Answers beyond the first of a claim, and Sets beyond the valid claims.
        disconnections: Players that were disconnected from the match.
        longest_wait_s: The longest time between a claim and its answer.
    """

    times: int = 0
    duration_s: float = 0.0
    claims: int = 0
    during_fault: int = 0
    lost: int = 0
    duplicates: int = 0
    disconnections: int = 0
    longest_wait_s: float = 0.0

    def __add__(self, other: Measurement) -> Measurement:
        return Measurement(
            self.times + other.times,
            max(self.duration_s, other.duration_s),
            self.claims + other.claims,
            self.during_fault + other.during_fault,
            self.lost + other.lost,
            self.duplicates + other.duplicates,
            self.disconnections + other.disconnections,
            max(self.longest_wait_s, other.longest_wait_s),
        )


class FaultTable:
    """Measurements by fault, in the order in which they were added.

    Args:
        columns: The titles: the fault, and one for each field of its measurement.
        name: The names of the files, without their endings.
    """

    def __init__(self, columns: Sequence[str] = COLUMNS, name: str = "faults") -> None:
        self._columns = columns
        self._name = name
        self._rows: dict[str, dict[str, object]] = {}

    def add(self, fault: str, measurement: DataclassInstance) -> None:
        """Add the row of a fault. Times are rounded to hundredths of a second."""
        self._rows[fault] = {name: rounded(value) for name, value in asdict(measurement).items()}

    def write(self, folder: Path) -> None:
        """Write the rows as JSON and the table as Markdown, unless the table is empty."""
        if not self._rows:
            return
        rows = [{"fault": fault, **fields} for fault, fields in self._rows.items()]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self._name}.json").write_text(json.dumps(rows, indent=2) + "\n")
        (folder / f"{self._name}.md").write_text("".join(f"{line}\n" for line in self.lines()))

    def lines(self) -> list[str]:
        """Return the lines of the table in Markdown."""
        rows = [[fault, *map(str, fields.values())] for fault, fields in self._rows.items()]
        head = [list(self._columns), ["---", *["---:"] * (len(self._columns) - 1)]]
        return [f"| {' | '.join(row)} |" for row in head + rows]


def rounded(value: object) -> object:
    """Return a number of seconds in hundredths of a second, and every other value unchanged."""
    return round(value, 2) if isinstance(value, float) else value
