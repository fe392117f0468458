"""Speed of the validator relative to the literal definition: `python -m tests.perf.validator`.

All implementations run in one process in alternating rounds, so that noise affects them equally. The
smallest round counts, and only ratios have targets: ours against the literal definition on the same cards.
"literal, ints" and "pairs" are stronger references for comparison. Writes build/bench.json. Exits 1 if a
ratio misses its target (DESIGN section 8).
"""

import json
import os
import platform
import random
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time_ns
from typing import Final

from tests.perf.contests import Contest, Work, contests

_ROUNDS: Final = 15
_REPORT: Final = Path("build/bench.json")


@dataclass(frozen=True)
class Row:
    """One measured contest: nanoseconds per unit of work, and the ratio to ours."""

    name: str
    nanoseconds: dict[str, int]
    ratios: dict[str, float]
    target: float
    met: bool


def main() -> int:
    rows = [_measured(contest) for contest in contests(random.Random(81))]
    met = all(row.met for row in rows)
    report = {"machine": _machine(), "rounds": _ROUNDS, "contests": [asdict(row) for row in rows], "met": met}
    _REPORT.parent.mkdir(exist_ok=True)
    _REPORT.write_text(json.dumps(report, indent=2) + "\n")
    _show(rows)
    return 0 if met else 1


def _measured(contest: Contest) -> Row:
    nanoseconds = {name: round(spent / contest.size) for name, spent in _interleaved(contest.ways).items()}
    ratios = {name: round(spent / nanoseconds["ours"], 1) for name, spent in nanoseconds.items()}
    met = ratios["literal"] >= contest.target
    return Row(contest.name, nanoseconds, ratios, contest.target, met)


def _interleaved(ways: dict[str, Work]) -> dict[str, int]:
    rounds = [{name: _timed(way) for name, way in ways.items()} for _ in range(_ROUNDS)]
    return {name: min(times[name] for times in rounds) for name in ways}


def _timed(way: Work) -> int:
    # Processor time: wall-clock time would favor the faster implementation on a busy machine.
    started = process_time_ns()
    way()
    return process_time_ns() - started


def _machine() -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "machine": platform.machine(),
        "system": platform.system(),
        "cpus": os.cpu_count(),
    }


def _show(rows: list[Row]) -> None:
    for row in rows:
        print(f"{row.name}: at least {row.target:g} times the literal one, {'met' if row.met else 'MISSED'}")
        for name, spent in row.nanoseconds.items():
            print(f"    {name:15}{spent:>12,} ns{row.ratios[name]:>9} x")


if __name__ == "__main__":
    sys.exit(main())
