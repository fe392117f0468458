"""Nakama is stopped during a match, or while a result is not written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo.client.duel import play_duel
from tests.containers import faults, images
from tests.support.clients import assert_replays, wait_for_record, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.containers.claim_load import ClaimLoad
    from tests.containers.stack import ContainerStack
    from tests.support.clients import Clients

pytestmark = pytest.mark.containers

STOP_WITHIN_S = 20
RECORD_WITHIN_S = 120.0


def stop_nakama(stack: ContainerStack) -> None:
    stack.nakama.get_wrapped_container().stop(timeout=STOP_WITHIN_S)


def start_nakama(stack: ContainerStack) -> None:
    stack.nakama.get_wrapped_container().start()
    images.wait_for_nakama(stack.nakama)


def test_match_survives_a_restart_of_the_container(
    clients: Clients, stack: ContainerStack, tmp_path: Path
) -> None:
    match_id = clients.create_match()
    players = [clients.join_reconnecting(match_id) for _ in range(2)]
    for player in players:
        player.take_set()
    stop_nakama(stack)
    start_nakama(stack)
    play_duel(players)
    assert [player.reconnections for player in players] == [1, 1]
    assert players[0].model.results is not None
    record_key = players[0].model.results.record_key
    assert_replays(wait_for_record(players[0].client, record_key, RECORD_WITHIN_S), tmp_path)


def assert_records_are_written(load: ClaimLoad, folder: Path) -> None:
    """Check that the records of the finished matches are written and replay."""
    for player, _ in load.matches.values():
        assert player.model.results is not None
        key = player.model.results.record_key
        assert_replays(wait_for_record(player.client, key, RECORD_WITHIN_S), folder)


def failed_attempts(stack: ContainerStack, number: int) -> int:
    """Return how often Nakama has logged that an effect failed for the `number`-th time."""
    log: bytes = stack.nakama.get_wrapped_container().logs()
    return log.count(f'"attempts":{number}'.encode())


def finish_without_database(load: ClaimLoad, stack: ContainerStack, attempts: int) -> None:
    """Stop the database, finish the matches, and wait until this number of attempts to write have failed."""
    before = failed_attempts(stack, attempts)
    stack.postgres.get_wrapped_container().kill()
    load.finish_matches()
    wait_until(lambda: failed_attempts(stack, attempts) > before, RECORD_WITHIN_S)


def test_shutdown_writes_results_before_their_next_retry(
    load: ClaimLoad, stack: ContainerStack, tmp_path: Path
) -> None:
    finish_without_database(load, stack, attempts=4)
    faults.start_database(stack.postgres)
    stop_nakama(stack)
    start_nakama(stack)
    assert_records_are_written(load, tmp_path)


def test_unwritten_result_survives_a_restart_of_nakama(
    load: ClaimLoad, stack: ContainerStack, tmp_path: Path
) -> None:
    finish_without_database(load, stack, attempts=1)
    stop_nakama(stack)
    faults.start_database(stack.postgres)
    start_nakama(stack)
    assert_records_are_written(load, tmp_path)
