"""A restart of Nakama in the middle of a match: the players join it again and play it to its end."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.duel import Duel, Pace
from demo.rules_service import SET_MATCH
from demo.stack import NAKAMA
from tests.modes.results import wait_for_record
from tests.nakama.conftest import without_times
from tests.native.room import rejoin, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from demo.player import Player
    from demo.stack import NativeStack
    from tests.nakama.conftest import Room

pytestmark = pytest.mark.nakama

WINS = "set_wins"
FAST = Pace(0.0, 0.02)
SETS_BEFORE = 4


@pytest.fixture
def restartable_stack(stack: NativeStack) -> Iterator[NativeStack]:
    """The stack; Nakama is started again after a test that failed while it was down."""
    yield stack
    if NAKAMA not in stack.pids:
        stack.start_nakama()


def claim_sets(players: tuple[Player, Player], count: int) -> None:
    for number in range(count):
        for player in players:
            player.wait_until_idle()
        claimant = players[number % 2]
        assert isinstance(claimant.wait_for_answer(claimant.claim_set()), wire.ClaimResult)


def assert_match_survives(room: Room, restart: Callable[[tuple[Player, Player]], None], folder: Path) -> None:
    """Play until the middle of a match, restart Nakama, and play until the end."""
    players = room.two()
    claim_sets(players, SETS_BEFORE)
    before = players[0].wait_until_idle()
    restart(players)
    for player in players:
        rejoin(player)
    after = players[0].wait_until_idle()
    assert without_times(after) == without_times(before)
    assert after.now_ms >= before.now_ms
    Duel(*players, FAST).play()
    assert_counted_once(players)
    assert_record_replays(players[0], folder)


def assert_counted_once(players: tuple[Player, Player]) -> None:
    scores = [player.score for player in players]
    wins = [int(score == max(scores) and len(set(scores)) > 1) for score in scores]
    wait_until(lambda: [entry(player) for player in players] == wins)


def entry(player: Player) -> int:
    found = player.client.leaderboard_entry(WINS)
    return found[0] if found else 0


def assert_record_replays(player: Player, folder: Path) -> None:
    assert player.model.results is not None
    path = folder / "record.json"
    path.write_text(json.dumps(wait_for_record(player.client, player.model.results.record_key)))
    done = subprocess.run([SET_MATCH, "replay", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_match_survives_kill_of_nakama(room: Room, restartable_stack: NativeStack, tmp_path: Path) -> None:
    def restart(_: tuple[Player, Player]) -> None:
        time.sleep(0.1)  # the last change is written within SET_RULES_CHECKPOINT_MS
        restartable_stack.kill_nakama()
        restartable_stack.start_nakama()

    assert_match_survives(room, restart, tmp_path)


def test_match_survives_stop_of_nakama(room: Room, restartable_stack: NativeStack, tmp_path: Path) -> None:
    def restart(players: tuple[Player, Player]) -> None:
        restartable_stack.stop_nakama()
        for player in players:
            player.wait_for(wire.ServiceStatus, lambda status: status.restarting)
        restartable_stack.start_nakama()

    assert_match_survives(room, restart, tmp_path)
