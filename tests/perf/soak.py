"""`make soak`: many matches while the service is killed repeatedly; then every record is replayed.

`python -m tests.perf.soak [MATCHES [SECONDS]]` writes build/soak.json. It fails if a claim got no response
or two, if records differ from the messages to players, if a record is missing or its replay differs, or if
a player was disconnected.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psutil

from match_handler.match.replay import differences, parse_record
from tests.perf.claim_stats import ClaimStats
from tests.perf.load_stack import LoadStack
from tests.perf.matches import SetMatch, drive, settle
from tests.perf.report import say, show, write

if TYPE_CHECKING:
    from collections.abc import Sequence

MATCHES = 500
SECONDS = 600.0
KILLED_EVERY_S = 30.0
DEAD_S = 1.0
CLAIMS_PER_S = 0.4
"""Per match; the rate of good players."""

SAMPLE_EVERY_S = 10.0
KEYS_PER_READ = 50
ATTEMPTS = 30
RETRY_DELAY_S = 1.0
ENDING_S = 5.0
JUDGED = ("valid", "CLAIM_REASON_NOT_A_SET", "CLAIM_REASON_STALE")


async def measure(load: LoadStack, count: int, seconds: float) -> dict[str, Any]:
    """Play, kill the service, record the memory, and compare received results with records."""
    matches, stats = [SetMatch() for _ in range(count)], ClaimStats()
    for match in matches:
        match.stats = stats
    await load.open(matches, players=2)
    memory: list[dict[str, float]] = []
    finished = asyncio.Event()
    background = asyncio.gather(_kill_repeatedly(load, finished), _watch_memory(load, finished, memory))
    await drive(matches, CLAIMS_PER_S * count, seconds)
    finished.set()
    kills, _ = await background
    await settle(matches, timeout_s=60)
    disconnected = sum(match.disconnected for match in matches)
    await asyncio.gather(*(match.connections[0].leave(match.match_id) for match in matches))
    await asyncio.sleep(ENDING_S)  # the other players receive the end, with the key of the record
    await load.close(matches)
    keys = [key for match in matches for key in match.record_keys]
    return {
        "matches": count,
        "seconds": seconds,
        "kills": kills,
        **stats.row(),
        "disconnected": disconnected,
        "judged": sum(stats.outcomes[outcome] for outcome in JUDGED),
        "outcomes": stats.outcomes,
        "games": len(keys),
        **await _recorded(load, keys),
        "memory": memory,
    }


async def _kill_repeatedly(load: LoadStack, finished: asyncio.Event) -> int:
    kills = 0
    while not await _is_set(finished, KILLED_EVERY_S):
        await asyncio.to_thread(load.stack.kill_rules)
        await asyncio.sleep(DEAD_S)
        await asyncio.to_thread(load.stack.start_rules)
        kills += 1
    return kills


async def _watch_memory(load: LoadStack, finished: asyncio.Event, memory: list[dict[str, float]]) -> None:
    started = time.perf_counter()
    while not await _is_set(finished, SAMPLE_EVERY_S):
        with suppress(psutil.NoSuchProcess):
            memory.append({"at_s": round(time.perf_counter() - started, 1), **load.rss_mib()})
            show("memory in MiB", memory[-1])


async def _is_set(event: asyncio.Event, timeout_s: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), timeout_s)
    except TimeoutError:
        return False
    return True


async def _recorded(load: LoadStack, missing: list[str]) -> dict[str, int]:
    """Read and replay the records with these keys; the last ones are written after all players left."""
    token, found = await load.lobby.sign_in(), Counter[str](records=0, recorded=0, parted=0)
    for _ in range(ATTEMPTS):
        keys, missing = missing, []
        for start in range(0, len(keys), KEYS_PER_READ):
            batch = keys[start : start + KEYS_PER_READ]
            records = await load.lobby.records(token, batch)
            for record in map(parse_record, records.values()):
                claims = sum(line.kind == "claim" for line in record.log)
                found.update(records=1, recorded=claims, parted=bool(differences(record)))
            missing += [key for key in batch if key not in records]
        if not missing:
            break
        await asyncio.sleep(RETRY_DELAY_S)
    return dict(found)


def faults(found: dict[str, Any]) -> list[str]:
    """Return the names of the violated conditions."""
    violated = [name for name in ("unanswered", "answered_twice", "disconnected", "parted") if found[name]]
    violated += ["records"] if found["records"] != found["games"] else []
    return violated + (["recorded"] if found["recorded"] != found["judged"] else [])


async def run(matches: int, seconds: float) -> int:
    async with LoadStack() as load:
        found = await measure(load, matches, seconds)
    write("soak", found)
    show("soak", {name: value for name, value in found.items() if name != "memory"})
    violated = faults(found)
    say(f"violated: {', '.join(violated)}" if violated else "no condition was violated")
    return len(violated)


def main(arguments: Sequence[str]) -> int:
    matches = int(arguments[0]) if arguments else MATCHES
    seconds = float(arguments[1]) if len(arguments) > 1 else SECONDS
    return asyncio.run(run(matches, seconds))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
