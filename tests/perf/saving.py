"""Costs of saved matches: against matches that are not saved, and the start of Nakama with many of them."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from tests.perf.load_stack import LoadStack, Phase, row
from tests.perf.matches import SetMatch
from tests.perf.report import show
from tests.support.clients import wait_until
from tests.support.saved_matches import query

if TYPE_CHECKING:
    from collections.abc import Sequence

MATCHES = 100
REVIVED_WITHIN_S = 120.0

Rows = dict[str, Any]


async def compare_saving(stack: LoadStack, rounds: int = 6, seconds: float = 8.0) -> Rows:
    """Measure the same load with saved matches and, on a second stack, without saving."""
    async with LoadStack(saved=False) as unsaved:
        stacks = {"saved": stack, "not saved": unsaved}
        kinds = {
            f"{name}{suffix}": (each, [SetMatch(**options) for _ in range(MATCHES)])
            for name, each in stacks.items()
            for suffix, options in {"": {}, " on arrival": {"claimOrder": "ARRIVAL"}}.items()
        }
        phases: dict[str, list[Phase]] = {name: [] for name in kinds}
        for each, matches in kinds.values():
            await each.open(matches, players=2)
        for number in range(rounds):
            names = list(kinds)
            for name in names[number % len(names) :] + names[: number % len(names)]:
                each, matches = kinds[name]
                phases[name].append(await each.phase(matches, seconds))
                show(f"{name}, round {number + 1}", row(phases[name][-1:]))
        return {name: row(each) for name, each in phases.items()}


async def restart(stack: LoadStack, sizes: Sequence[int] = (0, 1000, 5000)) -> Rows:
    """Measure the start of Nakama after a kill, with increasing numbers of saved matches of one player."""
    rows: Rows = {}
    matches: list[SetMatch] = []
    for size in sizes:
        added = [
            SetMatch(mode="SINGLE_PLAYER", reconnectWindowSeconds=300) for _ in range(size - len(matches))
        ]
        await stack.open(added, players=1)
        matches += added
        key = f"{size} matches"
        rows[key] = await _restart(stack, size)
        show(key, rows[key])
    return rows


async def _restart(stack: LoadStack, size: int) -> Rows:
    """Kill and start Nakama; return the seconds until it answers and until all matches run again."""
    await asyncio.to_thread(wait_until, lambda: _saved(stack) == size)
    await asyncio.to_thread(stack.stack.kill_nakama)
    started = time.monotonic()
    await asyncio.to_thread(stack.stack.start_nakama)
    ready_s = time.monotonic() - started
    await asyncio.to_thread(wait_until, lambda: stack.revived_matches() == size, REVIVED_WITHIN_S)
    return {
        "saved": size,
        "ready_s": round(ready_s, 2),
        "all_revived_s": round(time.monotonic() - started, 2),
        "revived": stack.revived_matches(),
        "rss_mib": stack.rss_mib(),
    }


def _saved(stack: LoadStack) -> int:
    return int(query(stack.stack, "SELECT count(*) FROM set_checkpoints WHERE set_aside IS NULL"))
