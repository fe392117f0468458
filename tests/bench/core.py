"""What one core of the service does: real claims beside an echo, on the same server process.

`python -m tests.bench.core [PART...]` prints tables and writes build/bench_core.json; without a part, all of
them. The service runs on one processor core, the client (nakama/bench, in Go) on another. The client plays
many matches, so that each call carries another state, and checks that every claim counts. Kinds of calls take
turns in short rounds: only figures of one run compare.
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
    """One thing to measure.

    Attributes:
        flags: What the client is told.
        name: Names a row.
        columns: The figures of a row that are printed.
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
    """The rows of one part, from a service of its own.

    Args:
        part: which.
        flags: what the client is told besides.
        cores: where service and client run.

    Raises:
        subprocess.CalledProcessError: the client failed; it has said why.
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
    """MatchLoop against echo: p50 with one caller, calls a second with many."""
    found = {(row["callers"] > 1, row["kind"]): row for row in rows}
    alone, echo_alone = found[False, "MatchLoop"], found[False, "echo"]
    many, echo_many = found[True, "MatchLoop"], found[True, "echo"]
    return {
        "p50": round(alone["p50_us"] / echo_alone["p50_us"], 3),
        "claims_per_s": round(many["claims_per_s"] / echo_many["claims_per_s"], 3),
    }


def most_matches(rows: Sequence[Row]) -> dict[str, int]:
    """With how many matches the p99 of each kind's median turn stayed below the target; 0: at no step."""
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
    say(f"p50 {found['p50']} times an echo's, at most {P50_TARGET} is wanted")
    say(f"claims a second {found['claims_per_s']} times an echo's, at least {THROUGHPUT_TARGET} is wanted")


def _open_verdict(rows: Sequence[Row]) -> None:
    found = ", ".join(f"{kind} {matches}" for kind, matches in most_matches(rows).items())
    say(f"matches with a p99 below {P99_TARGET_US // 1_000} ms: {found}; {MATCHES_TARGET} are wanted")


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
    """Measures these parts, and keeps the figures of the others."""
    if unknown := set(parts) - set(PARTS):
        say(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
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
