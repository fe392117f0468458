"""Many matches whose calls share batches, while the rules service is killed, frozen, or fails on calls."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING

import httpx
import pytest

from demo.client.vocabulary import Op
from demo.stack.native import RULES
from tests.perf.claim_stats import ClaimStats
from tests.perf.lobby import Lobby
from tests.perf.matches import SetMatch, drive
from tests.support import scrape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.support.fixtures import StackUnderTest

pytestmark = pytest.mark.nakama

MATCHES = 40
CLAIMS_PER_S = 600
SECONDS = 4.0
FAULT_AFTER_S = 2.0
OUTAGE_S = 1.0
OPEN_WITHIN_S = 60.0
POISONED_MATCHES = 5
POISON_EVERY_S = 0.5
ROUNDS = 4
"""A poisoned call is in a batch only if other calls wait at the same time."""
SHORT = {"validSet": 20, "refill": 20, "invalidSet": 20, "expandBoard": 20}


def shared_calls(stack: StackUnderTest) -> float:
    """Return the number of calls in batches; 0 during an outage."""
    try:
        return scrape.total(stack.rules_metrics_port, "set_match_batch_calls_sum")
    except httpx.HTTPError:
        return 0.0


def play_during_fault(stack: StackUnderTest, fault: Callable[[], None]) -> None:
    """Run the load, call `fault` in the middle of it, and check that nothing is lost.

    The load runs in another thread, because a restarted service ends with the thread that started it.
    """
    opened = Event()
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(lambda: asyncio.run(play(stack, opened)))
        opened.wait(OPEN_WITHIN_S)
        time.sleep(FAULT_AFTER_S)
        fault()
        result.result()


async def play(stack: StackUnderTest, opened: Event, poisoned: Sequence[SetMatch] = ()) -> None:
    """Run the load, and check that every claim is answered once and no connection is lost.

    Args:
        stack: The stack.
        opened: Set when all matches have started.
        poisoned: Further matches, to which messages with the word poison are sent.
    """
    stats = ClaimStats()
    matches = [SetMatch(mode="SINGLE_PLAYER", animationMs=SHORT) for _ in range(MATCHES)]
    all_matches = [*matches, *poisoned]
    async with Lobby(stack.api_url) as lobby:
        for match in all_matches:
            await match.open(lobby, players=1)
        for match in matches:
            match.stats = stats
        opened.set()
        poisoning = asyncio.gather(*map(send_poison, poisoned))
        await drive(matches, CLAIMS_PER_S, SECONDS)
        await poisoning
        await drive(matches, CLAIMS_PER_S, FAULT_AFTER_S)
        lost = sum(match.disconnected for match in all_matches)
        await asyncio.gather(*(match.leave() for match in all_matches))
    assert stats.sent > CLAIMS_PER_S * SECONDS / 4
    assert (stats.unanswered, stats.twice, lost) == (0, 0, 0)


async def send_poison(match: SetMatch) -> None:
    for _ in range(int(SECONDS / POISON_EVERY_S)):
        match.connections[0].send(match.match_id, Op.SYNC, b'{"x":"poison"}')
        await asyncio.sleep(POISON_EVERY_S)


def test_kill_between_batches_loses_no_claims(stoppable_stack: StackUnderTest) -> None:
    shared_before_kill: list[float] = []

    def kill() -> None:
        shared_before_kill.append(shared_calls(stoppable_stack))
        stoppable_stack.kill_rules()
        time.sleep(OUTAGE_S)
        stoppable_stack.start_rules()

    before = shared_calls(stoppable_stack)
    play_during_fault(stoppable_stack, kill)
    assert shared_before_kill[0] > before
    assert shared_calls(stoppable_stack) > 0


def test_freeze_between_batches_loses_no_claims(stack: StackUnderTest) -> None:
    def freeze() -> None:
        pid = stack.pids[RULES]
        os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(OUTAGE_S)
        finally:
            os.kill(pid, signal.SIGCONT)

    before = shared_calls(stack)
    play_during_fault(stack, freeze)
    assert shared_calls(stack) > before


@pytest.mark.parametrize("where", ["call", "batch"])
def test_failing_match_does_not_affect_other_matches(stack: StackUnderTest, where: str) -> None:
    poisoned = [SetMatch(mode="SINGLE_PLAYER") for _ in range(POISONED_MATCHES)]
    with stack.other_rules("tests.e2e.poisoned_serve", where, "serve"):
        for _ in range(ROUNDS):
            asyncio.run(play(stack, Event(), poisoned))
            failed = {
                method: scrape.total(
                    stack.rules_metrics_port, "set_match_calls_total", method=method, code="INTERNAL"
                )
                for method in ("MatchLoop", "MatchBatch")
            }
            if failed["MatchBatch"] > 0 or where == "call":
                break
            poisoned = [SetMatch(mode="SINGLE_PLAYER") for _ in range(POISONED_MATCHES)]
        assert shared_calls(stack) > 0
    assert failed["MatchLoop"] > 0
    assert (failed["MatchBatch"] > 0) == (where == "batch")
