"""Matches whose calls share batches, while the service is killed, frozen, or fails on one of them."""

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

from demo.settings import PROJECT
from demo.stack import RULES
from demo.vocabulary import Op
from tests.load import scrape
from tests.load.book import Book
from tests.load.lobby import Lobby
from tests.load.pace import drive
from tests.load.table import SetTable
from tests.native.room import wait_for_referee

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from demo.stack import NativeStack

pytestmark = pytest.mark.nakama

MATCHES = 40
CLAIMS_PER_S = 600
SECONDS = 4.0
QUIET_S = 2.0
GONE_S = 1.0
PATIENCE_S = 60.0
POISONERS = 5
POISON_EVERY_S = 0.5
SHORT = {"validSet": 20, "refill": 20, "invalidSet": 20, "expandBoard": 20}


def shared_calls(port: int) -> float:
    """Calls that have shared a batch; none while the service is away."""
    try:
        return scrape.total(port, "set_match_batch_calls_sum")
    except httpx.HTTPError:
        return 0.0


def metrics_port(stack: NativeStack) -> int:
    return int(stack.settings.rules_env["SET_MATCH_METRICS_PORT"])


def disturbed(stack: NativeStack, disturb: Callable[[], None]) -> tuple[Book, int]:
    """A load that something happens in.

    The load has a thread of its own: a service that is started again dies with the thread that started it.
    """
    opened = Event()
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(lambda: asyncio.run(play(stack, opened)))
        opened.wait(PATIENCE_S)
        time.sleep(QUIET_S)
        disturb()
        return playing.result()


async def play(stack: NativeStack, opened: Event, poisoners: Sequence[SetTable] = ()) -> tuple[Book, int]:
    """What became of the claims of a load, and how many connections were lost."""
    book, tables = Book(), [SetTable(mode="SINGLE_PLAYER", animationMs=SHORT) for _ in range(MATCHES)]
    everybody = [*tables, *poisoners]
    async with Lobby(stack.api_url) as lobby:
        for table in everybody:
            await table.open(lobby, players=1)
        for table in tables:
            table.book = book
        opened.set()
        beside = asyncio.gather(*map(pour_poison, poisoners))
        await drive(tables, CLAIMS_PER_S, SECONDS)
        await beside
        await drive(tables, CLAIMS_PER_S, QUIET_S)
        lost = sum(table.cut_off for table in everybody)
        await asyncio.gather(*(table.leave() for table in everybody))
    return book, lost


async def pour_poison(table: SetTable) -> None:
    for _ in range(int(SECONDS / POISON_EVERY_S)):
        table.lines[0].send(table.match_id, Op.SYNC, b'{"x":"poison"}')
        await asyncio.sleep(POISON_EVERY_S)


def assert_nothing_was_lost(book: Book, lost: int) -> None:
    assert book.sent > CLAIMS_PER_S * SECONDS / 4
    assert (book.unanswered, book.twice, lost) == (0, 0, 0)


@pytest.fixture
def mortal(stack: NativeStack) -> Iterator[NativeStack]:
    """The stack, whose rules service lives again after the test."""
    yield stack
    if RULES not in stack.pids:
        stack.start_rules()


def test_killed_among_batches_no_claim_of_many_matches_is_lost_or_counted_twice(mortal: NativeStack) -> None:
    shared: list[float] = []

    def kill() -> None:
        shared.append(shared_calls(metrics_port(mortal)))
        mortal.kill_rules()
        time.sleep(GONE_S)
        mortal.start_rules()

    before = shared_calls(metrics_port(mortal))
    assert_nothing_was_lost(*disturbed(mortal, kill))
    assert shared[0] > before
    assert shared_calls(metrics_port(mortal)) > 0


def test_frozen_among_batches_no_claim_of_many_matches_is_lost_or_counted_twice(stack: NativeStack) -> None:
    def freeze() -> None:
        pid = stack.pids[RULES]
        os.kill(pid, signal.SIGSTOP)
        try:
            time.sleep(GONE_S)
        finally:
            os.kill(pid, signal.SIGCONT)

    before = shared_calls(metrics_port(stack))
    assert_nothing_was_lost(*disturbed(stack, freeze))
    assert shared_calls(metrics_port(stack)) > before


@contextmanager
def poisonable(stack: NativeStack, where: str) -> Iterator[None]:
    """A service in the place of the stack's that fails on messages with the word poison."""
    stack.kill_rules()
    env = {**stack.settings.rules_env, "SET_MATCH_LISTEN": stack.rules_address}
    command = [sys.executable, "-m", "tests.nakama.poisoned_serve", where, "serve"]
    log = stack.settings.folder / "logs" / "poisoned.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=PROJECT, env=env, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_for_referee(stack)
        yield
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("where", ["call", "batch"])
def test_one_match_that_the_service_fails_on_takes_no_other_with_it(mortal: NativeStack, where: str) -> None:
    poisoners = [SetTable(mode="SINGLE_PLAYER") for _ in range(POISONERS)]
    with poisonable(mortal, where):
        port = metrics_port(mortal)
        book, lost = asyncio.run(play(mortal, Event(), poisoners))
        shared = shared_calls(port)
        failed = scrape.total(port, "set_match_calls_total", method="MatchLoop", code="INTERNAL")
        whole = scrape.total(port, "set_match_calls_total", method="MatchBatch", code="INTERNAL")
    assert_nothing_was_lost(book, lost)
    assert shared > 0
    assert failed > 0
    assert (whole > 0) == (where == "batch")
