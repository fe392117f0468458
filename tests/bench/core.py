"""Capacity of one core of the service: real claims compared with an echo on the same server process.

`python -m tests.bench.core [PART...]` prints tables and writes build/bench_core.json; the default is all
parts. The service runs on one processor core, the client (nakama/cmd/bench, in Go) on another. The client
plays many matches, so that each call has another state, and checks that every claim counts. The kinds
of calls alternate in short rounds. Compare only figures of the same run.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from demo.ports import free_port
from tests.bench.pinned import CoresError, running_on, start_on, two_cores
from tests.load.grid import Grid
from tests.load.machine import machine

CLIENT: Final = Path("build/bench/client")
RESULT: Final = Path("build/bench_core.json")
P50_TARGET: Final = 1.25
THROUGHPUT_TARGET: Final = 0.8
MATCHES_TARGET: Final = 2_000
P99_TARGET_US: Final = 25_000

Row = dict[str, Any]
say = partial(print, flush=True)

STEPS: Final = "250,500,1000,1500,2000,3000,4000"


@dataclass(frozen=True)
class Part:
    """One measurement.

    Attributes:
        flags: Arguments of the client.
        name: Returns the name of a row.
        columns: The printed figures of a row.
    """

    flags: tuple[str, ...]
    name: Callable[[Row], str]
    columns: tuple[str, ...]


_CLOSED: Final = ("calls", "p50_us", "p99_us", "claims_per_s", "service_us", "request_bytes", "answer_bytes")
_OPEN: Final = ("claims", "calls", "rpcs", "p50_us", "p99_us", "turn_p99_us", "max_us", "service_us")
PARTS: Final = {
    "closed": Part((), lambda row: f"{row['kind']}, {row['callers']} callers", _CLOSED),
    "batch": Part((), lambda row: f"{row['kind']}, {row['claims_per_call']} claims each", _CLOSED),
    "open": Part(
        ("-steps", STEPS, "-rounds", "4", "-seconds", "3"),
        lambda row: f"{row['matches']} matches, {row['kind']}",
        (*_OPEN, "service_percent", "client_percent"),
    ),
}


def measure(part: str, flags: Sequence[str], cores: tuple[int, int]) -> list[Row]:
    """Return the rows of one part, measured on its own service.

    Args:
        part: A key of `PARTS`.
        flags: Further arguments of the client.
        cores: The cores of service and client.

    Raises:
        subprocess.CalledProcessError: The client failed; its error is on standard error.
    """
    server_core, client_core = cores
    address = f"127.0.0.1:{free_port()}"
    serve = (
        sys.executable,
        "-m",
        "tests.bench.served",
        "serve",
        "--listen",
        address,
        "--log-level",
        "warning",
    )
    with running_on(server_core, serve) as pid:
        command = [str(CLIENT), "-addr", address, "-pid", str(pid), *flags, part]
        client = start_on(client_core, command, stdout=subprocess.PIPE)
        written, _ = client.communicate()
        if client.returncode:
            raise subprocess.CalledProcessError(client.returncode, command)
    rows: list[Row] = json.loads(written)
    return rows


def ratios(rows: Sequence[Row]) -> dict[str, float]:
    """Return MatchLoop relative to echo: p50 with one caller, calls per second with many."""
    found = {(row["callers"] > 1, row["kind"]): row for row in rows}
    one, echo_one = found[False, "MatchLoop"], found[False, "echo"]
    many, echo_many = found[True, "MatchLoop"], found[True, "echo"]
    return {
        "p50": round(one["p50_us"] / echo_one["p50_us"], 3),
        "claims_per_s": round(many["claims_per_s"] / echo_many["claims_per_s"], 3),
    }


def most_matches(rows: Sequence[Row]) -> dict[str, int]:
    """Return the most matches for which the median round's p99 is below the target, by kind; 0 if none."""
    most: dict[str, int] = {}
    missed: set[str] = set()
    for row in sorted(rows, key=lambda row: int(row["matches"])):
        kind = row["kind"]
        if row["turn_p99_us"] >= P99_TARGET_US:
            missed.add(kind)
        most[kind] = most.get(kind, 0) if kind in missed else row["matches"]
    return most


def _closed_verdict(rows: Sequence[Row]) -> None:
    found = ratios(rows)
    say(f"p50: {found['p50']} times that of an echo, target: at most {P50_TARGET}")
    say(f"claims/s: {found['claims_per_s']} times those of an echo, target: at least {THROUGHPUT_TARGET}")


def _open_verdict(rows: Sequence[Row]) -> None:
    found = ", ".join(f"{kind} {matches}" for kind, matches in most_matches(rows).items())
    say(f"matches with a p99 below {P99_TARGET_US // 1_000} ms: {found}; target: {MATCHES_TARGET}")


VERDICTS: Final = {"closed": _closed_verdict, "open": _open_verdict}


def _show(name: str, rows: Sequence[Row]) -> None:
    say(f"== {name}")
    part = PARTS[name]
    grid = Grid(part.columns, say)
    for row in rows:
        grid.row(part.name(row), row)
    if name in VERDICTS:
        VERDICTS[name](rows)


def main(parts: Sequence[str]) -> int:
    """Measure these parts and keep the stored figures of the others."""
    if unknown := set(parts) - set(PARTS):
        say(f"unknown part: {', '.join(sorted(unknown))}; allowed: {', '.join(PARTS)}")
        return 2
    kept = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    for part in parts or PARTS:
        where = machine()
        try:
            rows = measure(part, PARTS[part].flags, two_cores())
        except (CoresError, subprocess.CalledProcessError) as error:
            say(str(error))
            return 1
        kept[part] = {"machine": where, "found": rows}
        RESULT.write_text(json.dumps(kept, indent=1) + "\n")
        _show(part, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
