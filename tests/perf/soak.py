"""`make soak`: many matches while Nakama and the service are killed repeatedly; then records are replayed.

`python -m tests.perf.soak [MATCHES [SECONDS]]` writes build/soak.json. It fails if a claim got no response
or two, if a result is in no record although players received it more than two seconds before a kill of
Nakama, if a record is missing or its replay differs, or if a match was lost.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import defaultdict
from contextlib import suppress
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import psutil

from match_handler.match.replay import differences
from tests.perf.claim_stats import ClaimStats
from tests.perf.load_stack import LoadStack
from tests.perf.matches import drive, settle
from tests.perf.reconnecting import ReconnectingMatch
from tests.perf.records import read_records
from tests.perf.report import say, show, write
from tests.support.clients import CLAIM_ORDERS
from tests.support.judged import Restart, missing, recorded_claims, unexplained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from match_handler.match.record import Record
    from tests.support.judged import Claim

MATCHES = 500
SECONDS = 600.0
SERVICE_KILLED_EVERY_S = 30.0
NAKAMA_KILLED_EVERY_S = 120.0
DEAD_S = 1.0
CLAIMS_PER_S = 0.4
"""Per match; the rate of good players."""

SAMPLE_EVERY_S = 10.0
CONNECTED_WITHIN_S = 60
ENDING_S = 5.0


async def measure(load: LoadStack, count: int, seconds: float) -> dict[str, Any]:
    """Play, kill Nakama and the service, record the memory, and compare received results with records."""
    matches, stats = _matches(count), ClaimStats()
    for match in matches:
        match.stats = stats
    await load.open(matches, players=2)
    memory: list[dict[str, float]] = []
    kills: list[Restart] = []
    finished = asyncio.Event()
    background = asyncio.gather(
        _kill_service_repeatedly(load, finished),
        _kill_nakama_repeatedly(load, finished, kills),
        _watch_memory(load, finished, memory),
    )
    await drive(matches, CLAIMS_PER_S * count, seconds)
    finished.set()
    service_kills, *_ = await background
    await _wait_until_connected(matches)
    await settle(matches, timeout_s=60)
    disconnected = sum(not match.connected for match in matches)
    show("claims", stats.row())
    await asyncio.gather(
        *(match.connections[0].leave(match.match_id) for match in matches if match.connected),
        return_exceptions=True,  # a missing answer shows as a game without a record
    )
    await asyncio.sleep(ENDING_S)  # the other players receive the end, with the key of the record
    await load.close(matches)
    keys = [key for match in matches for key in match.record_keys]
    records = await read_records(load.lobby, keys)
    return {
        "matches": count,
        "seconds": seconds,
        "service_kills": service_kills,
        "nakama_kills": len(kills),
        **stats.row(),
        "lost_matches": sum(match.lost for match in matches),
        "disconnected": disconnected,
        "reconnections": sum(match.reconnections for match in matches),
        "outcomes": stats.outcomes,
        "games": len(keys),
        "records": len(records),
        "parted": sum(bool(differences(record)) for record in records),
        **_compared(matches, records, kills),
        "memory": memory,
    }


def _matches(count: int) -> list[ReconnectingMatch]:
    """Return matches with both claim orders."""
    orders = islice(cycle(CLAIM_ORDERS), count)
    return [ReconnectingMatch(claimOrder=order) for order in orders]


def _compared(
    matches: Sequence[ReconnectingMatch], records: Sequence[Record], kills: Sequence[Restart]
) -> dict[str, int]:
    """Count the received results, those that no record contains, and those among them without a restart."""
    recorded: dict[str, list[Claim]] = defaultdict(list)
    for record in records:
        recorded[record.match_id] += recorded_claims(record)
    gone = [each for match in matches for each in missing(match.judged, recorded[match.match_id])]
    return {
        "judged": sum(len(match.judged) for match in matches),
        "missing": len(gone),
        "missing_early": len(unexplained(gone, kills)),
    }


async def _wait_until_connected(matches: Sequence[ReconnectingMatch]) -> None:
    for _ in range(CONNECTED_WITHIN_S):
        if all(match.connected or match.lost for match in matches):
            return
        await asyncio.sleep(1)


async def _kill_service_repeatedly(load: LoadStack, finished: asyncio.Event) -> int:
    kills = 0
    while not await _is_set(finished, SERVICE_KILLED_EVERY_S):
        await asyncio.to_thread(load.stack.kill_rules)
        await asyncio.sleep(DEAD_S)
        await asyncio.to_thread(load.stack.start_rules)
        kills += 1
    return kills


async def _kill_nakama_repeatedly(load: LoadStack, finished: asyncio.Event, kills: list[Restart]) -> None:
    while not await _is_set(finished, NAKAMA_KILLED_EVERY_S):
        killed_at = time.monotonic()
        await asyncio.to_thread(load.stack.kill_nakama)
        kills.append(Restart(killed_at, time.monotonic()))
        await asyncio.to_thread(load.stack.start_nakama)


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


def faults(found: dict[str, Any]) -> list[str]:
    """Return the names of the violated conditions."""
    zeros = ("unanswered", "answered_twice", "parted", "missing_early", "lost_matches", "disconnected")
    violated = [name for name in zeros if found[name]]
    return violated + (["records"] if found["records"] != found["games"] else [])


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
