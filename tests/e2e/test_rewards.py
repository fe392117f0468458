"""Results are written exactly once, also if the database or the rules service fails."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.stack import postgres, rules_service
from demo.stack.service import Service
from tests.e2e.duplicate_effects import LOG_LINE
from tests.e2e.matches import DAILY, ONLINE, StartedMatch, start_match
from tests.e2e.results import wait_for_entry, wait_for_record
from tests.support import scrape
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from demo.client.player import Player
    from demo.stack.native import NativeStack
    from tests.support.clients import Room

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


def win(match: StartedMatch) -> Player:
    """Let the first player win: every player takes a Set, then all others leave."""
    for seat in match.seats:
        seat.take_set()
    for other in match.players[1:]:
        other.leave()
    match.first.wait_for(wire.MatchEnded)
    return match.first


@pytest.mark.fault("F6")
@pytest.mark.proves("leaderboards", ONLINE)
@pytest.mark.proves("record", ONLINE)
def test_result_is_written_once_after_a_database_outage(room: Room, stoppable_database: NativeStack) -> None:
    match = start_match(room, ONLINE)
    stoppable_database.stop_database()
    winner = win(match)
    assert winner.model.results is not None
    time.sleep(SETTLE_S)
    restart_database(stoppable_database)
    record = wait_for_record(winner.client, winner.model.results.record_key)
    assert record["results"]["winnerSeat"] == 0
    assert wait_for_entry(winner.client, "set_wins") == (1, 0)
    metadata = winner.client.leaderboard_metadata("set_wins")
    assert metadata == {"game": f"{match.match_id}.1"}


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


def rejected_effects(stack: NativeStack) -> float:
    """Return how many effects the plugin has set aside because the database rejected them."""
    port = int(stack.settings.nakama_flags["metrics.prometheus_port"])
    return scrape.total(port, "nakama_custom_set_aside_effects_total", reason="rejected")


@pytest.mark.usefixtures("records_rejected")
@pytest.mark.proves("leaderboards", ONLINE)
def test_rejected_record_does_not_block_the_win(room: Room, stack: NativeStack) -> None:
    before = rejected_effects(stack)
    winner = win(start_match(room, ONLINE))
    assert wait_for_entry(winner.client, "set_wins") == (1, 0)
    wait_until(lambda: rejected_effects(stack) > before)
    assert winner.model.results is not None
    assert winner.client.record(winner.model.results.record_key) is None


@pytest.mark.proves("whole game", ONLINE, DAILY)
@pytest.mark.parametrize("mode", [ONLINE, DAILY])
def test_game_continues_during_a_database_outage(
    room: Room, stoppable_database: NativeStack, mode: str
) -> None:
    match = start_match(room, mode)
    stoppable_database.stop_database()
    for seat in match.seats * 3:
        assert seat.take_set().valid


@pytest.fixture
def duplicate_effects(stack: NativeStack) -> Iterator[Path]:
    """Replace the rules service by one that returns every effect twice; return its log."""
    log = stack.settings.folder / "logs" / "duplicate_effects.log"
    log.unlink(missing_ok=True)
    program = rules_service.program(stack.settings, log)
    service = Service(replace(program, command=(sys.executable, "-m", "tests.e2e.duplicate_effects")))
    stack.kill_rules()
    try:
        service.start()
        yield log
    finally:
        service.stop()
        stack.start_rules()


@pytest.mark.fault("F6", "F7")
@pytest.mark.proves("leaderboards", ONLINE)
@pytest.mark.proves("record", ONLINE)
def test_effects_applied_twice_are_written_once(room: Room, duplicate_effects: Path) -> None:
    winner = win(start_match(room, ONLINE))
    assert LOG_LINE in duplicate_effects.read_text()
    assert winner.model.results is not None
    wait_for_record(winner.client, winner.model.results.record_key)
    assert wait_for_entry(winner.client, "set_wins") == (1, 0)
    time.sleep(SETTLE_S)
    assert winner.client.leaderboard_entry("set_wins") == (1, 0)
