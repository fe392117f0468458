"""`make load`: measures on the native stack, prints rows while it runs, and writes build/load.json.

`python -m tests.perf.load PART...` runs single parts. The parts are the names in `PARTS`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from typing import TYPE_CHECKING, Any

from tests.perf.contests import ContestMatch, hold_contests
from tests.perf.load_stack import LoadStack, Phase, ratios, row
from tests.perf.matches import EchoMatch, LoadMatch, RpcMatch, SetMatch
from tests.perf.report import say, show, write
from tests.perf.saving import compare_saving, restart

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

ARRIVAL: dict[str, object] = {"claimOrder": "ARRIVAL"}
CLAIM_RESULT_BYTES = 640
"""The size of a CLAIM_RESULT with three new cards."""
MATCHES = 100
IDLE_MATCHES = 1000
SETTLE_S = 4.0
STEPS = (250, 500, 1000, 1500, 2000)

Rows = dict[str, Any]


async def idle(stack: LoadStack, rounds: int = 3, seconds: float = 15.0) -> Rows:
    """Measure matches without claims, ours and those of a handler that does nothing; one player each."""
    makers: dict[str, Callable[[], LoadMatch]] = {
        "ours": lambda: SetMatch(mode="SINGLE_PLAYER"),
        "ours on arrival": lambda: SetMatch(mode="SINGLE_PLAYER", **ARRIVAL),
        "do-nothing": EchoMatch,
        "do-nothing with one tick a second": lambda: EchoMatch(tick_rate=1),
    }
    phases: dict[str, list[Phase]] = {name: [] for name in makers}
    for number in range(rounds):
        for name in _rotated(list(makers), number):
            matches = [makers[name]() for _ in range(IDLE_MATCHES)]
            await stack.open(matches, players=1)
            await asyncio.sleep(SETTLE_S)
            phases[name].append(await stack.phase(matches, seconds, claims_per_s=0))
            show(f"{name}, round {number + 1}", row(phases[name][-1:]))
            await stack.close(matches)
    return {name: row(each) for name, each in phases.items()}


async def compare(stack: LoadStack, rounds: int = 6, seconds: float = 8.0) -> Rows:
    """Measure kinds of matches of two players at one claim per second, in alternating rounds."""
    kinds: dict[str, Sequence[LoadMatch]] = {
        "ours": [SetMatch() for _ in range(MATCHES)],
        "ours on arrival": [SetMatch(**ARRIVAL) for _ in range(MATCHES)],
        "do-nothing": [EchoMatch() for _ in range(MATCHES)],
        "echo of the same size": [EchoMatch(CLAIM_RESULT_BYTES) for _ in range(MATCHES)],
        "RPC": [RpcMatch() for _ in range(MATCHES)],
    }
    phases: dict[str, list[Phase]] = {name: [] for name in kinds}
    for matches in kinds.values():
        await stack.open(matches, players=2)
    for number in range(rounds):
        for name in _rotated(list(kinds), number):
            phases[name].append(await stack.phase(kinds[name], seconds))
            show(f"{name}, round {number + 1}", row(phases[name][-1:]))
    rows = {name: row(each) for name, each in phases.items()}
    for base in ("do-nothing", "RPC"):
        rows |= {
            f"{name} / {base}": ratios(each, phases[base]) for name, each in phases.items() if name != base
        }
    return rows


async def contests(stack: LoadStack, count: int = 2000) -> Rows:
    """Hold contests for the same Set between two players; count the wins by user id and by order."""
    kinds: dict[str, dict[str, object]] = {"TICK": {}, "ARRIVAL": ARRIVAL}
    rows: Rows = {}
    for name, options in kinds.items():
        matches = [ContestMatch(**options) for _ in range(MATCHES)]
        await stack.open(matches, players=2)
        rows[name] = (await hold_contests(matches, count)).row()
        show(name, rows[name])
        await stack.close(matches)
    return rows


async def capacity(stack: LoadStack, steps: Sequence[int] = STEPS, seconds: float = 10.0) -> Rows:
    """Measure increasing numbers of matches of one player at one claim per second: echo and ours."""
    makers: dict[str, Callable[[], LoadMatch]] = {
        "echo": lambda: EchoMatch(CLAIM_RESULT_BYTES),
        "ours": lambda: SetMatch(mode="SINGLE_PLAYER"),
        "ours on arrival": lambda: SetMatch(mode="SINGLE_PLAYER", **ARRIVAL),
    }
    kinds: dict[str, list[LoadMatch]] = {name: [] for name in makers}
    rows: Rows = {}
    for size in steps:
        for name, matches in kinds.items():
            added = [makers[name]() for _ in range(size - len(matches))]
            await stack.open(added, players=1)
            matches.extend(added)
        for name, matches in kinds.items():
            key = f"{size} matches, {name}"
            rows[key] = row([await stack.phase(matches, seconds)])
            show(key, rows[key])
    return rows


async def flood(stack: LoadStack, rounds: int = 6, seconds: float = 6.0) -> Rows:
    """Measure matches alone, and beside one client that floods Nakama, in alternating phases."""
    matches = [SetMatch() for _ in range(MATCHES)]
    await stack.open(matches, players=2)
    flooder = await _flooder(stack.stack.api_url, matches[0].match_id)
    assert flooder.stdin is not None
    phases: dict[str, list[Phase]] = {"quiet": [], "flood": []}
    for number in range(rounds):
        for name, measured in phases.items():
            flooder.stdin.write(b"go\n" if name == "flood" else b"stop\n")
            measured.append(await stack.phase(matches, seconds))
            flooder.stdin.write(b"stop\n")
            show(f"{name}, round {number + 1}", row(measured[-1:]))
    counts, _ = await flooder.communicate(b"")
    rows = {name: row(each) for name, each in phases.items()}
    return {**rows, "flooder": json.loads(counts), "refused_calls": stack.refused_calls()}


async def _flooder(api_url: str, target: str) -> Process:
    """Start the flooding client and wait until it is ready."""
    command = (sys.executable, "-m", "tests.perf.flooder", api_url, target)
    flooder = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    assert flooder.stdout is not None
    assert await flooder.stdout.readline() == b"ready\n"
    return flooder


def _rotated(names: list[str], number: int) -> list[str]:
    """Return the names with another one first in each round, so that the order favors none."""
    start = number % len(names)
    return names[start:] + names[:start]


PARTS: dict[str, Callable[[LoadStack], Awaitable[Rows]]] = {
    "idle": idle,
    "compare": compare,
    "contests": contests,
    "saving": compare_saving,
    "restart": restart,
    "capacity": capacity,
    "flood": flood,
}


async def run(parts: list[str]) -> None:
    """Measure these parts, each on its own stack."""
    figures: dict[str, Rows] = {}
    for part in parts:
        say(f"== {part}")
        async with LoadStack() as stack:
            figures[part] = await PARTS[part](stack)
        for name, found in figures[part].items():
            say(f"{name}: {found}")
        write("load", figures)


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1:] or list(PARTS)))
