"""Results are written once, whatever happens to the database or the service at that moment."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo import postgres, rules_service
from demo.service import Service
from tests.load import scrape
from tests.modes.party import DAILY, ONLINE, Party, party
from tests.modes.results import entry_of, record_of
from tests.modes.stutter import TWICE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from demo.player import Player
    from demo.stack import NativeStack
    from tests.native.room import Room

pytestmark = pytest.mark.nakama

LOOK_EVERY_S = 0.05
SETTLED_S = 1.5
TRIED_AFTER_S = 1.5
"""Nakama's database driver tries a connection before it uses it again after a second without work."""


@pytest.fixture
def no_database(stack: NativeStack) -> Iterator[NativeStack]:
    """A stack whose database a test may stop; it is back after the test."""
    yield stack
    if "PostgreSQL" not in stack.pids:
        bring_back(stack)


def bring_back(stack: NativeStack) -> None:
    """Start the database; wait until Nakama uses no connection to the old one any more."""
    stack.start_database()
    time.sleep(TRIED_AFTER_S)


def win(seated: Party) -> Player:
    """Everybody takes a Set, and the first player wins, because the others leave."""
    for place in seated.places:
        place.take_set()
    for other in seated.players[1:]:
        other.leave()
    seated.host.wait_for(wire.MatchEnded)
    return seated.host


@pytest.mark.fault("F6")
@pytest.mark.proves("leaderboards", ONLINE)
@pytest.mark.proves("record", ONLINE)
def test_a_result_waits_while_the_database_is_away_and_is_written_once(
    room: Room, no_database: NativeStack
) -> None:
    seated = party(room, ONLINE)
    no_database.stop_database()
    winner = win(seated)
    assert winner.table.results is not None
    time.sleep(SETTLED_S)
    bring_back(no_database)
    record = record_of(winner.client, winner.table.results.record_key)
    assert record["results"]["winnerSeat"] == 0
    assert entry_of(winner.client, "set_wins", waiting=True) == (1, 0)
    named = winner.client.leaderboard_metadata("set_wins")
    assert named == {"game": f"{seated.match_id}.1"}


REJECT_RECORDS = """
CREATE OR REPLACE FUNCTION reject() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'rejected by a test' USING ERRCODE = '22P05'; END $$;
CREATE OR REPLACE TRIGGER reject_records BEFORE INSERT ON storage FOR EACH ROW
WHEN (NEW.collection = 'set_matches' AND now() < '{}') EXECUTE FUNCTION reject();
"""
"""It ends by itself: a run that is killed must not spoil the next one."""
REJECTED_FOR = timedelta(minutes=10)


@pytest.fixture
def records_rejected(stack: NativeStack) -> Iterator[None]:
    """While the database refuses every record with the error that NUL in JSONB has."""
    folder = stack.settings.folder / "postgres"
    postgres.query(folder, REJECT_RECORDS.format(datetime.now(UTC) + REJECTED_FOR))
    yield
    postgres.query(folder, "DROP TRIGGER reject_records ON storage")


def rejected_effects(stack: NativeStack) -> float:
    port = int(stack.settings.nakama_flags["metrics.prometheus_port"])
    return scrape.total(port, "nakama_custom_set_aside_effects_total", reason="rejected")


@pytest.mark.usefixtures("records_rejected")
@pytest.mark.proves("leaderboards", ONLINE)
def test_a_record_that_the_database_rejects_blocks_no_win(room: Room, stack: NativeStack) -> None:
    before = rejected_effects(stack)
    winner = win(party(room, ONLINE))
    assert entry_of(winner.client, "set_wins", waiting=True) == (1, 0)
    while rejected_effects(stack) == before:
        time.sleep(LOOK_EVERY_S)
    assert winner.table.results is not None
    assert winner.client.record(winner.table.results.record_key) is None


@pytest.mark.proves("whole game", ONLINE, DAILY)
@pytest.mark.parametrize("mode", [ONLINE, DAILY])
def test_play_goes_on_while_the_database_is_away(room: Room, no_database: NativeStack, mode: str) -> None:
    seated = party(room, mode)
    no_database.stop_database()
    for place in seated.places * 3:
        assert place.take_set().valid


@pytest.fixture
def every_step_twice(stack: NativeStack) -> Iterator[Path]:
    """While a rules service answers that has every effect applied twice; its log."""
    log = stack.settings.folder / "logs" / "stutter.log"
    log.unlink(missing_ok=True)
    program = rules_service.program(stack.settings, log)
    stuttering = Service(replace(program, command=(sys.executable, "-m", "tests.modes.stutter")))
    stack.kill_rules()
    try:
        stuttering.start()
        yield log
    finally:
        stuttering.stop()
        stack.start_rules()


@pytest.mark.fault("F6", "F7")
@pytest.mark.proves("leaderboards", ONLINE)
@pytest.mark.proves("record", ONLINE)
def test_the_same_step_applied_twice_writes_once(room: Room, every_step_twice: Path) -> None:
    seated = party(room, ONLINE)
    winner = win(seated)
    assert TWICE in every_step_twice.read_text()
    assert winner.table.results is not None
    record_of(winner.client, winner.table.results.record_key)
    assert entry_of(winner.client, "set_wins", waiting=True) == (1, 0)
    time.sleep(SETTLED_S)
    assert entry_of(winner.client, "set_wins") == (1, 0)
