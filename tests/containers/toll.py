"""What faults cost players, measured, and the table of it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = (
    "fault",
    "times",
    "each lasted (s)",
    "claims",
    "sent or open meanwhile",
    "lost",
    "counted twice",
    "players thrown out",
    "longest wait (s)",
)


@dataclass(frozen=True)
class Toll:
    """What was measured while something happened, once or several times.

    Attributes:
        times: How often it happened.
        lasted_s: How long it lasted, the longest.
        claims: Claims sent from the start of it until all was answered.
        meanwhile: Those of them that were sent, or had no answer yet, while it lasted.
        lost: Claims without an answer.
        twice: Answers and Sets too many.
        thrown_out: Players whom the match saw disconnected.
        waited_s: The longest time from a claim to its answer.
    """

    times: int = 0
    lasted_s: float = 0.0
    claims: int = 0
    meanwhile: int = 0
    lost: int = 0
    twice: int = 0
    thrown_out: int = 0
    waited_s: float = 0.0

    def __add__(self, other: Toll) -> Toll:
        return Toll(
            self.times + other.times,
            max(self.lasted_s, other.lasted_s),
            self.claims + other.claims,
            self.meanwhile + other.meanwhile,
            self.lost + other.lost,
            self.twice + other.twice,
            self.thrown_out + other.thrown_out,
            max(self.waited_s, other.waited_s),
        )

    def rounded(self) -> Toll:
        """The same with hundredths of seconds."""
        return replace(self, lasted_s=round(self.lasted_s, 2), waited_s=round(self.waited_s, 2))


class FaultTable:
    """Tolls by fault, in the order in which they were first measured."""

    def __init__(self) -> None:
        self._tolls: dict[str, Toll] = {}

    def add(self, fault: str, toll: Toll) -> None:
        self._tolls[fault] = self._tolls.get(fault, Toll()) + toll

    def write(self, folder: Path) -> None:
        """Write faults.json and faults.md; nothing where nothing was measured."""
        if not self._tolls:
            return
        rows = [{"fault": fault, **asdict(toll.rounded())} for fault, toll in self._tolls.items()]
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "faults.json").write_text(json.dumps(rows, indent=2) + "\n")
        (folder / "faults.md").write_text("".join(f"{line}\n" for line in self.lines()))

    def lines(self) -> list[str]:
        """The table in Markdown."""
        rows = [[fault, *map(str, asdict(toll.rounded()).values())] for fault, toll in self._tolls.items()]
        head = [list(COLUMNS), ["---", *["---:"] * (len(COLUMNS) - 1)]]
        return [f"| {' | '.join(row)} |" for row in head + rows]
