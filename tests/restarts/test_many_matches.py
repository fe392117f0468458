"""A restart of Nakama during 64 matches at once."""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

import pytest

from match_handler.match.replay import differences
from tests.perf.claim_stats import ClaimStats
from tests.perf.lobby import Lobby
from tests.perf.matches import drive, settle
from tests.perf.reconnecting import ReconnectingMatch
from tests.perf.records import read_records
from tests.restarts import faults
from tests.restarts.conftest import RESTARTS
from tests.restarts.measurements import Restarts
from tests.support.clients import CLAIM_ORDERS, QUICK
from tests.support.clocks import clock_error_s
from tests.support.judged import Restart, missing, recorded_claims, unexplained

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from match_handler.match.record import Record
    from tests.containers.measurements import FaultTable
    from tests.support.fixtures import StackUnderTest
    from tests.support.judged import Claim

pytestmark = [pytest.mark.nakama, pytest.mark.timeout(1200)]

MATCHES = 64
CLAIMS_PER_S = 64
SECONDS_BEFORE = 2.0
SECONDS_AFTERWARDS = 3.0
LONGEST_WAIT_S = 0.5
POLL_S = 0.1
WITHIN_S = 120.0


class Played(NamedTuple):
    """The matches, their claims, and their records."""

    matches: list[ReconnectingMatch]
    stats: ClaimStats
    records: list[Record]


async def play(api_url: str, opened: Event, restarted: Event) -> Played:
    """Play during a restart. `opened` is set before it, `restarted` after it."""
    stats, matches = (
        ClaimStats(),
        [
            ReconnectingMatch(animationMs=QUICK, claimOrder=order)
            for order in CLAIM_ORDERS
            for _ in range(MATCHES // len(CLAIM_ORDERS))
        ],
    )
    async with Lobby(api_url) as lobby:
        for match in matches:
            match.stats = stats
            await match.open(lobby, players=2)
        await drive(matches, CLAIMS_PER_S, SECONDS_BEFORE)
        opened.set()
        turns = cycle(matches)
        while not restarted.is_set():
            next(turns).claim()
            await asyncio.sleep(random.expovariate(CLAIMS_PER_S))
        await wait_for(lambda: all(match.connected or match.lost for match in matches))
        await drive(matches, CLAIMS_PER_S, SECONDS_AFTERWARDS)
        await settle(matches, WITHIN_S)
        await asyncio.gather(*(match.connections[0].leave(match.match_id) for match in matches))
        await wait_for(lambda: all(match.over for match in matches))
        await asyncio.gather(*(match.leave() for match in matches))
        keys = [key for match in matches for key in match.record_keys]
        return Played(matches, stats, await read_records(lobby, keys))


async def wait_for(condition: Callable[[], bool]) -> None:
    """Poll a condition until it is true.

    Raises:
        TimeoutError: It was not true within `WITHIN_S`.
    """
    for _ in range(int(WITHIN_S / POLL_S)):
        if condition():
            return
        await asyncio.sleep(POLL_S)
    raise TimeoutError(f"the condition was not true within {WITHIN_S:.0f} s")


def measure(played: Played, restart: Restart) -> Restarts:
    recorded: dict[str, list[Claim]] = defaultdict(list)
    for record in played.records:
        recorded[record.match_id] += recorded_claims(record)
    lost = [each for match in played.matches for each in missing(match.judged, recorded[match.match_id])]
    assert unexplained(lost, [restart]) == []
    keys = sum(len(match.record_keys) for match in played.matches)
    answers = [each.at for match in played.matches for each in match.judged if each.at > restart.started_at]
    return Restarts(
        times=1,
        matches=MATCHES,
        claims=sum(len(match.judged) for match in played.matches),
        missing=len(lost),
        counted_twice=sum(map(sets_beyond_claims, played.records)),
        results_wrong=keys - len(played.records) + sum(bool(differences(each)) for each in played.records),
        matches_lost=sum(match.lost for match in played.matches),
        answer_s=min(answers) - restart.started_at,
        clock_error_s=max(clock_error_s(match.clocks, *restart) for match in played.matches),
    )


def sets_beyond_claims(record: Record) -> int:
    """Return how many more Sets the players have than different triples of cards were claimed."""
    claimed = {cards for _, cards in recorded_claims(record)}
    return max(0, sum(each.sets_collected for each in record.results.standings) - len(claimed))


def restart_during(stack: StackUnderTest, fault: Callable[[StackUnderTest], float]) -> Restarts:
    """Play in another thread, because the programs end with the thread that started them."""
    opened, restarted = Event(), Event()
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(lambda: asyncio.run(play(stack.api_url, opened, restarted)))
        try:
            opened.wait(WITHIN_S)
            time.sleep(random.uniform(0.0, LONGEST_WAIT_S))
            killed_at = time.monotonic()
            started_at = fault(stack)
        finally:
            restarted.set()
        played = playing.result()
    assert (played.stats.unanswered, played.stats.twice) == (0, 0)
    return measure(played, Restart(killed_at, started_at))


def total_of(parts: Sequence[Restarts]) -> Restarts:
    total = Restarts()
    for part in parts:
        total += part
    return total


def test_64_matches_survive_a_kill(stoppable_stack: StackUnderTest, fault_table: FaultTable) -> None:
    total = total_of([restart_during(stoppable_stack, faults.kill) for _ in range(RESTARTS)])
    fault_table.add(f"kill -9, {MATCHES} matches of two players", total)
    assert (total.matches_lost, total.counted_twice, total.results_wrong) == (0, 0, 0)
