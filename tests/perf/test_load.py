"""A short load on the stack of the tests: every claim gets one response, and idle matches need no calls."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.perf.claim_stats import ClaimStats
from tests.perf.lobby import Lobby
from tests.perf.matches import SetMatch, drive
from tests.support import scrape

if TYPE_CHECKING:
    from tests.support.fixtures import StackUnderTest

pytestmark = pytest.mark.nakama

MATCHES = 20
SECONDS = 6
IDLE_SECONDS = 3


def calls(stack: StackUnderTest) -> float:
    return scrape.total(stack.rules_metrics_port, "set_match_calls_total", method="MatchLoop")


async def play(stack: StackUnderTest, stats: ClaimStats) -> tuple[float, float, int]:
    """Return calls during claims, calls without claims, and lost connections."""
    matches = [SetMatch() for _ in range(MATCHES)]
    async with Lobby(stack.api_url) as lobby:
        for match in matches:
            match.stats = stats
            await match.open(lobby, players=2)
        before = calls(stack)
        await drive(matches, MATCHES, SECONDS)
        for_claims = calls(stack) - before
        await asyncio.sleep(IDLE_SECONDS)
        while_idle = calls(stack) - before - for_claims
        lost = sum(match.disconnected for match in matches)
        await asyncio.gather(*(match.leave() for match in matches))
    return for_claims, while_idle, lost


def test_every_claim_of_twenty_matches_is_answered_once(stack: StackUnderTest) -> None:
    stats = ClaimStats()

    for_claims, while_idle, lost = asyncio.run(play(stack, stats))

    assert stats.sent > MATCHES * SECONDS // 2
    assert (stats.unanswered, stats.twice, lost) == (0, 0, 0)
    assert for_claims <= 1.3 * stats.sent
    assert while_idle <= MATCHES
