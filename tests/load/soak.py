"""`make soak`: many matches while the service is killed again and again; then every record is replayed.

`python -m tests.load.soak [MATCHES [SECONDS]]` writes build/soak.json. It fails if a claim got no
answer or two, if the records do not hold what players were told, if a record is missing or replays to another
end, or if a player was disconnected.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from demo.settings import PROJECT
from match_handler.match.replay import differences, parse_record
from tests.load.book import Book
from tests.load.machine import machine
from tests.load.pace import drive, settle
from tests.load.stage import Stage, say
from tests.load.table import SetTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RESULT = PROJECT / "build" / "soak.json"
MATCHES = 500
SECONDS = 600.0
KILLED_EVERY_S = 30.0
DEAD_S = 1.0
CLAIMS_PER_S = 0.4
"""Of one match: people who are good at it claim so often."""

LOOK_EVERY_S = 10.0
READ_AT_ONCE = 50
LOOKS = 30
BETWEEN_LOOKS_S = 1.0
JUDGED = ("valid", "CLAIM_REASON_NOT_A_SET", "CLAIM_REASON_STALE")


async def measure(stage: Stage, matches: int, seconds: float) -> dict[str, Any]:
    """Play, kill, look at the memory, and compare what was said with what was recorded."""
    tables, book = [SetTable() for _ in range(matches)], Book()
    for table in tables:
        table.book = book
    await stage.open(tables, players=2)
    memory: list[dict[str, float]] = []
    over = asyncio.Event()
    beside = asyncio.gather(_kill_again_and_again(stage, over), _watch_memory(stage, over, memory))
    await drive(tables, CLAIMS_PER_S * matches, seconds)
    over.set()
    kills, _ = await beside
    await settle(tables, within_s=60)
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


async def _kill_again_and_again(stage: Stage, over: asyncio.Event) -> int:
    kills = 0
    while not await _comes(over, KILLED_EVERY_S):
        await asyncio.to_thread(stage.stack.kill_rules)
        await asyncio.sleep(DEAD_S)
        await asyncio.to_thread(stage.stack.start_rules)
        kills += 1
    return kills


async def _watch_memory(stage: Stage, over: asyncio.Event, memory: list[dict[str, float]]) -> None:
    begun = time.perf_counter()
    while not await _comes(over, LOOK_EVERY_S):
        memory.append({"at_s": round(time.perf_counter() - begun, 1), **stage.usage().rss_mib})
        say(", ".join(f"{name} {value:.0f}" for name, value in memory[-1].items()))


async def _comes(event: asyncio.Event, within_s: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), within_s)
    except TimeoutError:
        return False
    return True


async def _recorded(stage: Stage, games: dict[str, int]) -> dict[str, Any]:
    """Read and replay the record of every game; the last ones are written after everybody has left."""
    missing = [f"{match_id}.{number + 1}" for match_id, count in games.items() for number in range(count)]
    token, found = await stage.lobby.sign_in(), Counter[str]()
    for _ in range(LOOKS):
        missing, read = await _read(stage, token, missing)
        found += read
        if not missing:
            break
        await asyncio.sleep(BETWEEN_LOOKS_S)
    return {"records": found["records"], "recorded": found["claims"], "parted": found["parted"]}


async def _read(stage: Stage, token: str, keys: list[str]) -> tuple[list[str], Counter[str]]:
    """Which of these records are not there, and what was found in the others."""
    missing, found = [], Counter[str]()
    for start in range(0, len(keys), READ_AT_ONCE):
        wanted = keys[start : start + READ_AT_ONCE]
        records = await stage.lobby.records(token, wanted)
        found += Counter(records=len(records), **_replayed(records.values()))
        missing += [key for key in wanted if key not in records]
    return missing, found


def _replayed(records: Iterable[bytes]) -> dict[str, int]:
    parsed = [parse_record(raw) for raw in records]
    claims = sum(line.kind == "claim" for record in parsed for line in record.log)
    return {"claims": claims, "parted": sum(bool(differences(record)) for record in parsed)}


def faults(found: dict[str, Any]) -> list[str]:
    """What must not be."""
    wrong = [name for name in ("unanswered", "answered_twice", "disconnected", "parted") if found[name]]
    wrong += ["records"] if found["records"] != found["games"] else []
    return wrong + (["recorded"] if found["recorded"] != found["told"] else [])


async def run(matches: int, seconds: float) -> int:
    async with Stage() as stage:
        found = {"machine": machine(), **await measure(stage, matches, seconds)}
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(found, indent=1) + "\n")
    say({name: value for name, value in found.items() if name != "memory"})
    wrong = faults(found)
    say(f"wrong: {', '.join(wrong)}" if wrong else "nothing was lost")
    return len(wrong)


def main(arguments: Sequence[str]) -> int:
    matches = int(arguments[0]) if arguments else MATCHES
    seconds = float(arguments[1]) if len(arguments) > 1 else SECONDS
    return asyncio.run(run(matches, seconds))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
