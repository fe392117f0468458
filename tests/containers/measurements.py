"""Measured effects of faults on players, and their table."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

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

    def rounded(self) -> Measurement:
        """Return the measurement with times in hundredths of a second."""
        return replace(
            self, duration_s=round(self.duration_s, 2), longest_wait_s=round(self.longest_wait_s, 2)
        )


class FaultTable:
    """Measurements by fault, in the order of the first measurement of each fault."""

    def __init__(self) -> None:
        self._measurements: dict[str, Measurement] = {}

    def add(self, fault: str, measurement: Measurement) -> None:
        """Add a measurement to the row of a fault."""
        self._measurements[fault] = self._measurements.get(fault, Measurement()) + measurement

    def write(self, folder: Path) -> None:
        """Write faults.json and faults.md, unless the table is empty."""
        if not self._measurements:
            return
        rows = [
            {"fault": fault, **asdict(measurement.rounded())}
            for fault, measurement in self._measurements.items()
        ]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "faults.json").write_text(json.dumps(rows, indent=2) + "\n")
        (folder / "faults.md").write_text("".join(f"{line}\n" for line in self.lines()))

    def lines(self) -> list[str]:
        """Return the lines of the table in Markdown."""
        rows = [
            [fault, *map(str, asdict(measurement.rounded()).values())]
            for fault, measurement in self._measurements.items()
        ]
        head = [list(COLUMNS), ["---", *["---:"] * (len(COLUMNS) - 1)]]
        return [f"| {' | '.join(row)} |" for row in head + rows]
