"""Matches of one player each, who claim continuously while a fault of the replicas occurs."""

from __future__ import annotations

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from threading import Event
from typing import TYPE_CHECKING, NamedTuple

from tests.perf.claim_stats import ClaimStats
from tests.perf.lobby import Lobby
from tests.perf.matches import SetMatch, drive
from tests.support.clients import CLAIM_ORDERS

if TYPE_CHECKING:
    from collections.abc import Callable

MATCHES = 24
CLAIMS_PER_S = 72
"""In an outage of 15 s, each player sends fewer than 64 claims, the limit of the queue."""
SECONDS_BEFORE = 1.0
SECONDS_AFTERWARDS = 1.0
OPEN_WITHIN_S = 60.0
SHORT = {"validSet": 20, "refill": 20, "invalidSet": 20, "expandBoard": 20}


class Played(NamedTuple):
    """The claims, and the number of players that lost their connection."""

    stats: ClaimStats
    disconnections: int


def play_during(api_url: str, fault: Callable[[], float]) -> tuple[Played, float]:
    """Run the load, call `fault` during it, and return the claims and the result of `fault`.

    The load runs in another thread, because programs that `fault` starts end with the thread of their start.
    """
    opened, ended = Event(), Event()
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(lambda: asyncio.run(_play(api_url, opened, ended)))
        try:
            opened.wait(OPEN_WITHIN_S)
            noticed_s = fault()
        finally:
            ended.set()
        return playing.result(), noticed_s


async def _play(api_url: str, opened: Event, ended: Event) -> Played:
    stats = ClaimStats()
    matches = [
        SetMatch(mode="SINGLE_PLAYER", animationMs=SHORT, claimOrder=order)
        for order in CLAIM_ORDERS
        for _ in range(MATCHES // len(CLAIM_ORDERS))
    ]
    async with Lobby(api_url) as lobby:
        for match in matches:
            await match.open(lobby, players=1)
            match.stats = stats
        await drive(matches, CLAIMS_PER_S, SECONDS_BEFORE)
        opened.set()
        turns = cycle(matches)
        while not ended.is_set():
            next(turns).claim()
            await asyncio.sleep(random.expovariate(CLAIMS_PER_S))
        await drive(matches, CLAIMS_PER_S, SECONDS_AFTERWARDS)
        lost = sum(match.disconnected for match in matches)
        await asyncio.gather(*(match.leave() for match in matches))
    return Played(stats, lost)
