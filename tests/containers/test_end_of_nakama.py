"""Nakama is stopped during a match, and results are written after a database outage."""

from __future__ import annotations

import json
import subprocess
import threading
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from demo import messages as wire
from demo.duel import Duel, Pace
from demo.nakama_socket import NakamaError
from demo.rules_service import SET_MATCH
from tests.containers import faults, images
from tests.native.room import rejoin, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from demo.nakama_client import NakamaClient
    from tests.containers.claim_load import ClaimLoad
    from tests.containers.stack import ContainerStack
    from tests.native.room import Room

pytestmark = pytest.mark.containers

FAST = Pace(0.0, 0.02)
STOP_WITHIN_S = 20
RECORD_WITHIN_S = 120.0


def wait_for_record(user: NakamaClient, key: str) -> dict[str, Any]:
    """Wait until the record is written, also while Nakama restarts."""

    def record() -> dict[str, Any] | None:
        try:
            return user.record(key)
        except (NakamaError, httpx.HTTPError):
            return None

    return wait_until(record, RECORD_WITHIN_S)


def assert_replays(record: dict[str, Any], folder: Path) -> None:
    path = folder / "record.json"
    path.write_text(json.dumps(record))
    replayed = subprocess.run([SET_MATCH, "replay", path], capture_output=True, text=True, check=False)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


def test_match_continues_after_a_shutdown(
    room: Room,
    stack: ContainerStack,
    tmp_path: Path,
) -> None:
    players = room.two()
    for player in players:
        player.wait_until_idle()
        player.wait_for_answer(player.claim_set())
    stopping = threading.Thread(target=stop_nakama, args=(stack,))
    stopping.start()
    for player in players:
        player.wait_for(wire.ServiceStatus, lambda status: status.restarting)
    stopping.join()
    start_nakama(stack)
    for player in players:
        rejoin(player)
    Duel(*players, FAST).play()
    assert players[0].model.results is not None
    assert_replays(wait_for_record(room.user(), players[0].model.results.record_key), tmp_path)


def stop_nakama(stack: ContainerStack) -> None:
    stack.nakama.get_wrapped_container().stop(timeout=STOP_WITHIN_S)


def start_nakama(stack: ContainerStack) -> None:
    stack.nakama.get_wrapped_container().start()
    images.wait_for_nakama(stack.nakama)


def assert_record_is_written(load: ClaimLoad, folder: Path) -> None:
    """Check that the record of the finished match is written and replays."""
    player = load.players[0]
    assert player.model.results is not None
    assert_replays(wait_for_record(player.client, player.model.results.record_key), folder)


def failed_attempts(stack: ContainerStack, number: int) -> int:
    """Return how often Nakama has logged that an effect failed for the `number`-th time."""
    log: bytes = stack.nakama.get_wrapped_container().logs()
    return log.count(f'"attempts":{number}'.encode())


def finish_without_database(load: ClaimLoad, stack: ContainerStack, attempts: int) -> None:
    """Stop the database, finish the match, and wait until this number of attempts to write have failed."""
    before = failed_attempts(stack, attempts)
    stack.postgres.get_wrapped_container().kill()
    load.finish_match()
    wait_until(lambda: failed_attempts(stack, attempts) > before, RECORD_WITHIN_S)


def test_shutdown_writes_results_before_their_next_retry(
    load: ClaimLoad, stack: ContainerStack, tmp_path: Path
) -> None:
    finish_without_database(load, stack, attempts=4)
    faults.start_database(stack.postgres)
    stop_nakama(stack)
    start_nakama(stack)
    assert_record_is_written(load, tmp_path)


def test_unwritten_result_survives_a_restart_of_nakama(
    load: ClaimLoad, stack: ContainerStack, tmp_path: Path
) -> None:
    finish_without_database(load, stack, attempts=1)
    stop_nakama(stack)
    faults.start_database(stack.postgres)
    start_nakama(stack)
    assert_record_is_written(load, tmp_path)


def test_result_is_written_after_a_database_outage(
    load: ClaimLoad,
    stack: ContainerStack,
    tmp_path: Path,
) -> None:
    stack.postgres.get_wrapped_container().kill()
    load.finish_match()
    faults.start_database(stack.postgres)
    assert_record_is_written(load, tmp_path)
