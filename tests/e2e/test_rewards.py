"""Results are written exactly once, also if the database or the rules service fails."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.stack import postgres
from tests.e2e.duplicate_effects import LOG_LINE
from tests.support import scrape
from tests.support.clients import DAILY, ONLINE, wait_for_entry, wait_for_record, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from demo.client.player import Player
    from demo.stack.native import NativeStack
    from tests.support.clients import Clients
    from tests.support.fixtures import StackUnderTest

pytestmark = pytest.mark.nakama

SETTLE_S = 1.5
CONNECTION_CHECK_S = 1.5
"""Nakama's database driver checks a connection that was idle for a second before it uses it."""


@pytest.fixture
def stoppable_database(stack: NativeStack) -> Iterator[NativeStack]:
    """The stack; after a test that stops the database it is started again."""
    yield stack
    if postgres.NAME not in stack.pids:
        restart_database(stack)


def restart_database(stack: NativeStack) -> None:
    """Start the database and wait until Nakama no longer uses an old connection."""
    stack.start_database()
    time.sleep(CONNECTION_CHECK_S)


def win(players: Sequence[Player]) -> Player:
    """Let the first player win: every player takes a Set, then all others leave."""
    for player in players:
        player.take_set()
    for other in players[1:]:
        other.leave()
    players[0].wait_for(wire.MatchEnded)
    return players[0]


@pytest.mark.fault("F6")
def test_result_is_written_once_after_a_database_outage(
    clients: Clients, stoppable_database: NativeStack
) -> None:
    players = clients.pair()
    stoppable_database.stop_database()
    winner = win(players)
    assert winner.model.results is not None
    time.sleep(SETTLE_S)
    restart_database(stoppable_database)
    record = wait_for_record(winner.client, winner.model.results.record_key)
    assert record["results"]["winnerSeat"] == 0
    assert wait_for_entry(winner.client, "set_wins") == (1, 0)
    metadata = winner.client.leaderboard_metadata("set_wins")
    assert metadata == {"game": f"{winner.match_id}.1"}


REJECT_RECORDS = """
CREATE OR REPLACE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'rejected by a test' USING ERRCODE = '22P05'; END $$;
CREATE OR REPLACE TRIGGER reject_records BEFORE INSERT ON storage FOR EACH ROW
WHEN (NEW.collection = 'set_matches' AND now() < '{}') EXECUTE FUNCTION reject();
"""
"""The trigger expires, so that an aborted run does not break the next one."""
TRIGGER_TTL = timedelta(minutes=10)


@pytest.fixture
def records_rejected(stack: NativeStack) -> Iterator[None]:
    """Let the database reject every record, with the error code for NUL in JSONB."""
    folder = stack.settings.folder / "postgres"
    postgres.query(folder, REJECT_RECORDS.format(datetime.now(UTC) + TRIGGER_TTL))
    yield
    postgres.query(folder, "DROP TRIGGER reject_records ON storage")


def rejected_effects(stack: StackUnderTest) -> float:
    """Return how many effects the plugin has set aside because the database rejected them."""
    name = "nakama_custom_set_aside_effects_total"
    return scrape.total(stack.nakama_metrics_port, name, reason="rejected")


@pytest.mark.usefixtures("records_rejected")
def test_rejected_record_does_not_block_the_win(clients: Clients, stack: StackUnderTest) -> None:
    before = rejected_effects(stack)
    winner = win(clients.pair())
    assert wait_for_entry(winner.client, "set_wins") == (1, 0)
    wait_until(lambda: rejected_effects(stack) > before)
    assert winner.model.results is not None
    assert winner.client.record(winner.model.results.record_key) is None


@pytest.mark.parametrize("mode", [ONLINE, DAILY])
def test_game_continues_during_a_database_outage(
    clients: Clients, stoppable_database: NativeStack, mode: str
) -> None:
    players = clients.start_match(mode)
    stoppable_database.stop_database()
    for player in players * 3:
        player.take_set()


@pytest.fixture
def duplicate_effects(stack: StackUnderTest) -> Iterator[Path]:
    """Replace the rules service by one that returns every effect twice; return its log."""
    with stack.other_rules("tests.e2e.duplicate_effects") as log:
        yield log


@pytest.mark.fault("F6", "F7")
def test_effects_applied_twice_are_written_once(clients: Clients, duplicate_effects: Path) -> None:
    winner = win(clients.pair())
    assert LOG_LINE in duplicate_effects.read_text()
    assert winner.model.results is not None
    wait_for_record(winner.client, winner.model.results.record_key)
    assert wait_for_entry(winner.client, "set_wins") == (1, 0)
    time.sleep(SETTLE_S)
    assert winner.client.leaderboard_entry("set_wins") == (1, 0)
