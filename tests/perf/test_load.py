"""A short load on the stack of the tests: every claim gets one response, and idle matches need no calls."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from tests.perf.book import Book
from tests.perf.lobby import Lobby
from tests.perf.pace import drive
from tests.perf.table import SetTable
from tests.support import scrape

if TYPE_CHECKING:
    from demo.stack.native import NativeStack

pytestmark = pytest.mark.nakama

MATCHES = 20
SECONDS = 6
IDLE_SECONDS = 3


def calls(stack: NativeStack) -> float:
    port = int(stack.settings.rules_env["SET_MATCH_METRICS_PORT"])
    return scrape.total(port, "set_match_calls_total", method="MatchLoop")


async def play(stack: NativeStack, book: Book) -> tuple[float, float, int]:
    """Return calls during claims, calls without claims, and lost connections."""
    tables = [SetTable() for _ in range(MATCHES)]
    async with Lobby(stack.api_url) as lobby:
        for table in tables:
            table.book = book
            await table.open(lobby, players=2)
        before = calls(stack)
        await drive(tables, MATCHES, SECONDS)
        for_claims = calls(stack) - before
        await asyncio.sleep(IDLE_SECONDS)
        while_idle = calls(stack) - before - for_claims
        lost = sum(table.cut_off for table in tables)
        await asyncio.gather(*(table.leave() for table in tables))
    return for_claims, while_idle, lost


def test_every_claim_of_twenty_matches_is_answered_once(stack: NativeStack) -> None:
    book = Book()

    for_claims, while_idle, lost = asyncio.run(play(stack, book))

    assert book.sent > MATCHES * SECONDS // 2
    assert (book.unanswered, book.twice, lost) == (0, 0, 0)
    assert for_claims <= 1.3 * book.sent
    assert while_idle <= MATCHES
