"""The tables of docs/performance.md from what was measured last: `python -m tests.bench.tables`.

Reads build/bench_core.json and build/bench_phases.json, which `make bench-core` writes.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from tests.bench import core, phases
from tests.bench.core import Row

DASH: Final = "\N{EN DASH}"

Cells = Sequence[str]


def markdown(heads: Cells, rows: Sequence[Cells]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    return "\n".join((lines[0], "|" + "---|" * len(heads), *lines[1:]))


def milliseconds(micros: float) -> str:
    """Microseconds as milliseconds, with no more digits than mean something."""
    millis = micros / 1_000
    return f"{millis:.2f}" if millis < 10 else f"{millis:,.0f}"


def closed(rows: Sequence[Row]) -> str:
    """Echo and MatchLoop with one caller and with many."""
    found = {(row["callers"] > 1, row["kind"]): row for row in rows}

    def line(name: str, key: str, *, many: bool, unit: str) -> Cells:
        echo, ours = found[many, "echo"][key], found[many, "MatchLoop"][key]
        shown = milliseconds if unit == " ms" else "{:,.0f}".format
        return name, f"{shown(echo)}{unit}", f"{shown(ours)}{unit}", f"{ours / echo:.2f}"

    lines = [
        line("one caller, p50", "p50_us", many=False, unit=" ms"),
        line("one caller, p99", "p99_us", many=False, unit=" ms"),
        line("64 callers, claims/s", "claims_per_s", many=True, unit=""),
        line("64 callers, service", "service_us", many=True, unit=" µs"),
    ]
    return markdown(("", "echo", "`MatchLoop`", "ratio"), lines)


def batch(rows: Sequence[Row]) -> str:
    """Batches by size, each beside its echo."""
    lines = [
        (
            str(ours["claims_per_call"]),
            f"{echo['service_us']:.0f} µs",
            f"{ours['service_us']:.0f} µs",
            f"{ours['claims_per_s']:,.0f}",
        )
        for echo, ours in zip(rows[::2], rows[1::2], strict=True)
    ]
    return markdown(("claims in a call", "echo as long, service", "claims, service", "claims/s"), lines)


def at_a_rate(rows: Sequence[Row]) -> str:
    """Matches at one claim a second, by kind of call; a dash where a kind was past its knee."""
    steps: dict[int, dict[str, Row]] = {}
    for row in rows:
        steps.setdefault(row["matches"], {})[row["kind"]] = row
    lines = [
        (
            f"{matches:,}",
            *(_cell(kinds.get(kind)) for kind in ("echo", "MatchLoop", "MatchBatch")),
            _company(kinds),
        )
        for matches, kinds in steps.items()
    ]
    heads = [f"{kind} p50 / p99, service" for kind in ("echo", "alone", "batched")]
    return markdown(("matches", *heads, "calls in an RPC"), lines)


def _cell(row: Row | None) -> str:
    if row is None:
        return DASH
    waited = f"{milliseconds(row['p50_us'])} / {milliseconds(row['turn_p99_us'])} ms"
    return f"{waited}, {row['service_percent']:.0f} %"


def _company(kinds: dict[str, Row]) -> str:
    batched = kinds.get("MatchBatch")
    return DASH if batched is None else f"{batched['calls'] / batched['rpcs']:.1f}"


def of_phases(found: dict[str, dict[str, float]]) -> str:
    """The phases of a claim."""
    ways = ("again", "in turn", "cold")
    lines = [(phase, *(f"{row[way]:.0f} µs" for way in ways)) for phase, row in found.items()]
    return markdown(("", "again and again", "another match each time", "with cold caches"), lines)


def main() -> None:
    """Prints the tables."""
    measured: dict[str, Any] = json.loads(core.RESULT.read_text())
    for name, table in (("closed", closed), ("batch", batch), ("open", at_a_rate)):
        load = measured[name]["machine"]["load_average"][0]
        print(f"{name}, load average {load:.1f}:\n\n{table(measured[name]['found'])}\n")
    print(of_phases(json.loads(phases.RESULT.read_text())["found"]))


if __name__ == "__main__":
    main()
