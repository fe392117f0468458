"""Nakama is stopped during a match, or while a result is not written."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.vocabulary import End
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


def test_shutdown_ends_matches_and_saves_records(
    clients: Clients,
    stack: ContainerStack,
    tmp_path: Path,
) -> None:
    players = clients.pair()
    for player in players:
        player.take_set()
    nakama = stack.nakama.get_wrapped_container()
    stopping = threading.Thread(target=nakama.stop, kwargs={"timeout": STOP_WITHIN_S})
    stopping.start()
    ends = [player.wait_for(wire.MatchEnded) for player in players]
    stopping.join()
    nakama.start()
    images.wait_for_nakama(stack.nakama)
    assert [ended.reason for ended in ends] == [End.TERMINATED] * 2
    assert_replays(wait_for_record(clients.user(), ends[0].record_key, RECORD_WITHIN_S), tmp_path)


def stop_nakama(stack: ContainerStack) -> None:
    stack.nakama.get_wrapped_container().stop(timeout=STOP_WITHIN_S)


def start_nakama(stack: ContainerStack) -> None:
    stack.nakama.get_wrapped_container().start()
    images.wait_for_nakama(stack.nakama)


def assert_record_is_written(load: ClaimLoad, folder: Path) -> None:
    """Check that the record of the finished match is written and replays."""
    player = load.players[0]
    assert player.model.results is not None
    assert_replays(wait_for_record(player.client, player.model.results.record_key, RECORD_WITHIN_S), folder)


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
