"""`make soak`: many matches while the service is killed repeatedly; then every record is replayed.

`python -m tests.perf.soak [MATCHES [SECONDS]]` writes build/soak.json. It fails if a claim got no response
or two, if records differ from the messages to players, if a record is missing or its replay differs, or if
a player was disconnected.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from demo.stack.settings import PROJECT
from match_handler.match.replay import differences, parse_record
from tests.perf.book import Book
from tests.perf.machine import machine
from tests.perf.pace import drive, settle
from tests.perf.stage import Stage, say
from tests.perf.table import SetTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RESULT = PROJECT / "build" / "soak.json"
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
JUDGED = ("valid", "CLAIM_REASON_NOT_A_SET", "CLAIM_REASON_STALE")


async def measure(stage: Stage, matches: int, seconds: float) -> dict[str, Any]:
    """Play, kill the service, record the memory, and compare received results with records."""
    tables, book = [SetTable() for _ in range(matches)], Book()
    for table in tables:
        table.book = book
    await stage.open(tables, players=2)
    memory: list[dict[str, float]] = []
    finished = asyncio.Event()
    background = asyncio.gather(_kill_repeatedly(stage, finished), _watch_memory(stage, finished, memory))
    await drive(tables, CLAIMS_PER_S * matches, seconds)
    finished.set()
    kills, _ = await background
    await settle(tables, timeout_s=60)
    games = {table.match_id: table.games + 1 for table in tables}
    cut_off = sum(table.cut_off for table in tables)
    await stage.close(tables)
    recorded = await _recorded(stage, games)
    return {
        "matches": matches,
        "seconds": seconds,
        "kills": kills,
        "claims": book.sent,
        "unanswered": book.unanswered,
        "answered_twice": book.twice,
        "disconnected": cut_off,
        "told": sum(book.outcomes[outcome] for outcome in JUDGED),
        "outcomes": dict(book.outcomes),
        **book.spread._asdict(),
        "games": sum(games.values()),
        **recorded,
        "memory": memory,
    }


async def _kill_repeatedly(stage: Stage, finished: asyncio.Event) -> int:
    kills = 0
    while not await _is_set(finished, KILLED_EVERY_S):
        await asyncio.to_thread(stage.stack.kill_rules)
        await asyncio.sleep(DEAD_S)
        await asyncio.to_thread(stage.stack.start_rules)
        kills += 1
    return kills


async def _watch_memory(stage: Stage, finished: asyncio.Event, memory: list[dict[str, float]]) -> None:
    started = time.perf_counter()
    while not await _is_set(finished, SAMPLE_EVERY_S):
        memory.append({"at_s": round(time.perf_counter() - started, 1), **stage.usage().rss_mib})
        say(", ".join(f"{name} {value:.0f}" for name, value in memory[-1].items()))


async def _is_set(event: asyncio.Event, timeout_s: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), timeout_s)
    except TimeoutError:
        return False
    return True


async def _recorded(stage: Stage, games: dict[str, int]) -> dict[str, Any]:
    """Read and replay the record of every game; the last ones are written after all players left."""
    missing = [f"{match_id}.{number + 1}" for match_id, count in games.items() for number in range(count)]
    token, found = await stage.lobby.sign_in(), Counter[str]()
    for _ in range(ATTEMPTS):
        missing, read = await _read(stage, token, missing)
        found += read
        if not missing:
            break
        await asyncio.sleep(RETRY_DELAY_S)
    return {"records": found["records"], "recorded": found["claims"], "parted": found["parted"]}


async def _read(stage: Stage, token: str, keys: list[str]) -> tuple[list[str], Counter[str]]:
    """Return the keys of missing records, and counts from the others."""
    missing, found = [], Counter[str]()
    for start in range(0, len(keys), KEYS_PER_READ):
        batch = keys[start : start + KEYS_PER_READ]
        records = await stage.lobby.records(token, batch)
        found += Counter(records=len(records), **_replayed(records.values()))
        missing += [key for key in batch if key not in records]
    return missing, found


def _replayed(records: Iterable[bytes]) -> dict[str, int]:
    parsed = [parse_record(raw) for raw in records]
    claims = sum(line.kind == "claim" for record in parsed for line in record.log)
    return {"claims": claims, "parted": sum(bool(differences(record)) for record in parsed)}


def faults(found: dict[str, Any]) -> list[str]:
    """Return the names of the violated conditions."""
    violated = [name for name in ("unanswered", "answered_twice", "disconnected", "parted") if found[name]]
    violated += ["records"] if found["records"] != found["games"] else []
    return violated + (["recorded"] if found["recorded"] != found["told"] else [])


async def run(matches: int, seconds: float) -> int:
    async with Stage() as stage:
        found = {"machine": machine(), **await measure(stage, matches, seconds)}
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(found, indent=1) + "\n")
    say({name: value for name, value in found.items() if name != "memory"})
    violated = faults(found)
    say(f"violated: {', '.join(violated)}" if violated else "no condition was violated")
    return len(violated)


def main(arguments: Sequence[str]) -> int:
    matches = int(arguments[0]) if arguments else MATCHES
    seconds = float(arguments[1]) if len(arguments) > 1 else SECONDS
    return asyncio.run(run(matches, seconds))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
