"""Nakama stopped in the middle of a match, and results that have no database to go to."""

from __future__ import annotations

import json
import subprocess
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from demo import messages as wire
from demo.nakama_socket import NakamaError
from demo.rules_service import SET_MATCH
from demo.vocabulary import End
from tests.containers import disturbances, images
from tests.containers.engine import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from demo.nakama_client import NakamaClient
    from tests.containers.contest import Contest
    from tests.containers.stack import ContainerStack
    from tests.native.room import Room

pytestmark = pytest.mark.containers

STOP_WITHIN_S = 20


def saved_record(stack: ContainerStack, user: NakamaClient, key: str) -> dict[str, Any]:
    """The record, which may be written late."""
    found: list[dict[str, Any]] = []

    def is_saved() -> bool:
        with suppress(NakamaError, httpx.HTTPError):
            record = user.record(key)
            found.extend([record] if record is not None else [])
        return bool(found)

    wait_until(stack.nakama, is_saved)
    return found[0]


def assert_replays(record: dict[str, Any], folder: Path) -> None:
    path = folder / "record.json"
    path.write_text(json.dumps(record))
    replayed = subprocess.run([SET_MATCH, "replay", path], capture_output=True, text=True, check=False)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


def test_a_nakama_that_is_stopped_ends_its_matches_with_a_word_and_saves_their_results(
    room: Room,
    stack: ContainerStack,
    tmp_path: Path,
) -> None:
    players = room.two()
    for player in players:
        player.wait_until_idle()
        player.verdict(player.claim_set())
    nakama = stack.nakama.get_wrapped_container()
    stopping = threading.Thread(target=nakama.stop, kwargs={"timeout": STOP_WITHIN_S})
    stopping.start()
    ends = [player.wait_for(wire.MatchEnded) for player in players]
    stopping.join()
    nakama.start()
    images.wait_for_nakama(stack.nakama)
    assert [ended.reason for ended in ends] == [End.TERMINATED] * 2
    assert_replays(saved_record(stack, room.user(), ends[0].record_key), tmp_path)


def restart(stack: ContainerStack) -> None:
    stack.nakama.get_wrapped_container().stop(timeout=STOP_WITHIN_S)
    stack.nakama.get_wrapped_container().start()
    images.wait_for_nakama(stack.nakama)


def attempts_logged(stack: ContainerStack, number: int) -> int:
    """How many effects have failed so often since Nakama's container was created."""
    log: bytes = stack.nakama.get_wrapped_container().logs()
    return log.count(f'"attempts":{number}'.encode())


def play_without_database(contest: Contest, stack: ContainerStack, attempts: int) -> None:
    """Play to the end without the database until the write of a result has failed so often."""
    before = attempts_logged(stack, attempts)
    stack.postgres.get_wrapped_container().kill()
    contest.play_to_the_end()
    wait_until(stack.nakama, lambda: attempts_logged(stack, attempts) > before)


def test_a_result_is_written_at_shutdown_though_its_next_attempt_is_far_away(
    contest: Contest, stack: ContainerStack, tmp_path: Path
) -> None:
    play_without_database(contest, stack, attempts=4)
    disturbances.bring_database_back(stack.postgres)
    restart(stack)
    player = contest.players[0]
    assert player.table.results is not None
    assert_replays(saved_record(stack, player.client, player.table.results.record_key), tmp_path)


def test_a_result_outlives_a_stop_of_nakama_without_database(
    contest: Contest, stack: ContainerStack, tmp_path: Path
) -> None:
    play_without_database(contest, stack, attempts=1)
    stack.nakama.get_wrapped_container().stop(timeout=STOP_WITHIN_S)
    disturbances.bring_database_back(stack.postgres)
    stack.nakama.get_wrapped_container().start()
    images.wait_for_nakama(stack.nakama)
    player = contest.players[0]
    assert player.table.results is not None
    assert_replays(saved_record(stack, player.client, player.table.results.record_key), tmp_path)


def test_a_match_that_ends_while_the_database_is_away_is_saved_when_it_is_back(
    contest: Contest,
    stack: ContainerStack,
    tmp_path: Path,
) -> None:
    stack.postgres.get_wrapped_container().kill()
    contest.play_to_the_end()
    disturbances.bring_database_back(stack.postgres)
    player = contest.players[0]
    assert player.table.results is not None
    assert_replays(saved_record(stack, player.client, player.table.results.record_key), tmp_path)
