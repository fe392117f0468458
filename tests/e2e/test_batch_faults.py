"""Many matches whose calls share batches, while the rules service is killed, frozen, or fails on calls."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING

import httpx
import pytest

from demo.client.vocabulary import Op
from demo.stack.native import RULES
from demo.stack.settings import PROJECT
from tests.perf.book import Book
from tests.perf.lobby import Lobby
from tests.perf.pace import drive
from tests.perf.table import SetTable
from tests.support import scrape
from tests.support.clients import wait_for_rules_service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from demo.stack.native import NativeStack

pytestmark = pytest.mark.nakama

MATCHES = 40
CLAIMS_PER_S = 600
SECONDS = 4.0
FAULT_AFTER_S = 2.0
OUTAGE_S = 1.0
OPEN_WITHIN_S = 60.0
POISONED_MATCHES = 5
POISON_EVERY_S = 0.5
SHORT = {"validSet": 20, "refill": 20, "invalidSet": 20, "expandBoard": 20}


def shared_calls(port: int) -> float:
    """Return the number of calls in batches; 0 during an outage."""
    try:
        return scrape.total(port, "set_match_batch_calls_sum")
    except httpx.HTTPError:
        return 0.0


def metrics_port(stack: NativeStack) -> int:
    return int(stack.settings.rules_env["SET_MATCH_METRICS_PORT"])


def play_during_fault(stack: NativeStack, fault: Callable[[], None]) -> tuple[Book, int]:
    """Run the load, and call `fault` in the middle of it; return the result of `play`.

    The load runs in another thread, because a restarted service ends with the thread that started it.
    """
    opened = Event()
    with ThreadPoolExecutor(1) as pool:
        result = pool.submit(lambda: asyncio.run(play(stack, opened)))
        opened.wait(OPEN_WITHIN_S)
        time.sleep(FAULT_AFTER_S)
        fault()
        return result.result()


async def play(stack: NativeStack, opened: Event, poisoned: Sequence[SetTable] = ()) -> tuple[Book, int]:
    """Run the load; return the book of its claims and the number of lost connections.

    Args:
        stack: The stack.
        opened: Set when all matches have started.
        poisoned: Further matches, to which messages with the word poison are sent.
    """
    book, tables = Book(), [SetTable(mode="SINGLE_PLAYER", animationMs=SHORT) for _ in range(MATCHES)]
    all_tables = [*tables, *poisoned]
    async with Lobby(stack.api_url) as lobby:
        for table in all_tables:
            await table.open(lobby, players=1)
        for table in tables:
            table.book = book
        opened.set()
        poisoning = asyncio.gather(*map(send_poison, poisoned))
        await drive(tables, CLAIMS_PER_S, SECONDS)
        await poisoning
        await drive(tables, CLAIMS_PER_S, FAULT_AFTER_S)
        lost = sum(table.cut_off for table in all_tables)
        await asyncio.gather(*(table.leave() for table in all_tables))
    return book, lost


async def send_poison(table: SetTable) -> None:
    for _ in range(int(SECONDS / POISON_EVERY_S)):
        table.connections[0].send(table.match_id, Op.SYNC, b'{"x":"poison"}')
        await asyncio.sleep(POISON_EVERY_S)


def assert_nothing_lost(book: Book, lost_connections: int) -> None:
    assert book.sent > CLAIMS_PER_S * SECONDS / 4
    assert (book.unanswered, book.twice, lost_connections) == (0, 0, 0)


def test_kill_between_batches_loses_no_claims(stoppable_stack: NativeStack) -> None:
    shared_before_kill: list[float] = []

    def kill() -> None:
        shared_before_kill.append(shared_calls(metrics_port(stoppable_stack)))
        stoppable_stack.kill_rules()
        time.sleep(OUTAGE_S)
        stoppable_stack.start_rules()

    before = shared_calls(metrics_port(stoppable_stack))
    assert_nothing_lost(*play_during_fault(stoppable_stack, kill))
    assert shared_before_kill[0] > before
    assert shared_calls(metrics_port(stoppable_stack)) > 0


def test_freeze_between_batches_loses_no_claims(stack: NativeStack) -> None:
    def freeze() -> None:
        pid = stack.pids[RULES]
        os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(OUTAGE_S)
        finally:
            os.kill(pid, signal.SIGCONT)

    before = shared_calls(metrics_port(stack))
    assert_nothing_lost(*play_during_fault(stack, freeze))
    assert shared_calls(metrics_port(stack)) > before


@contextmanager
def poisoned_service(stack: NativeStack, where: str) -> Iterator[None]:
    """Replace the rules service of the stack by `poisoned_serve`."""
    stack.kill_rules()
    env = {**stack.settings.rules_env, "SET_MATCH_LISTEN": stack.rules_address}
    command = [sys.executable, "-m", "tests.e2e.poisoned_serve", where, "serve"]
    log = stack.settings.folder / "logs" / "poisoned.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=PROJECT, env=env, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_for_rules_service(stack)
        yield
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("where", ["call", "batch"])
def test_failing_match_does_not_affect_other_matches(stoppable_stack: NativeStack, where: str) -> None:
    poisoned = [SetTable(mode="SINGLE_PLAYER") for _ in range(POISONED_MATCHES)]
    with poisoned_service(stoppable_stack, where):
        port = metrics_port(stoppable_stack)
        book, lost = asyncio.run(play(stoppable_stack, Event(), poisoned))
        shared = shared_calls(port)
        failed_calls = scrape.total(port, "set_match_calls_total", method="MatchLoop", code="INTERNAL")
        failed_batches = scrape.total(port, "set_match_calls_total", method="MatchBatch", code="INTERNAL")
    assert_nothing_lost(book, lost)
    assert shared > 0
    assert failed_calls > 0
    assert (failed_batches > 0) == (where == "batch")
