"""Players who reconnect, the list of their matches, and a match that cannot be revived."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from demo.stack.native import NAKAMA
from tests.support.clients import LOCAL, ONLINE, wait_until
from tests.support.saved_matches import query

if TYPE_CHECKING:
    from demo.client.reconnecting import ReconnectingPlayer
    from tests.support.clients import Clients
    from tests.support.fixtures import StackUnderTest

pytestmark = pytest.mark.nakama

SPECTATE = {"spectate": "true"}
UNREADABLE = "'\\xff'::bytea"


def start_match(clients: Clients) -> ReconnectingPlayer:
    """Return the only user of a match that has started."""
    player = clients.join_reconnecting(clients.create_match(LOCAL))
    while not player.model.playing:
        player.receive()
    return player


def save_last_change(stack: StackUnderTest, player: ReconnectingPlayer) -> None:
    """Wait until a row of the match was written after the last message to the player."""
    now = query(stack, "SELECT now()")
    player.sync()
    wait_until(lambda: column(stack, player, f"written > '{now}'") == "t")


def column(stack: StackUnderTest, player: ReconnectingPlayer, expression: str) -> str:
    """Return a value of the row of the player's match."""
    return query(stack, f"SELECT {expression} FROM set_checkpoints WHERE match = '{player.match_id}'")  # noqa: S608


def test_player_reconnects_after_a_lost_connection(clients: Clients) -> None:
    player = start_match(clients)
    player.take_set()
    player.break_connection()
    player.take_set()
    assert player.reconnections == 1
    assert player.sync().players[player.seat].sets_collected == 2


def test_claim_on_a_lost_connection_is_judged_once(clients: Clients) -> None:
    player = start_match(clients)
    player.wait_until_idle()
    player.break_connection()
    answer = player.wait_for_answer(player.claim_set())
    assert isinstance(answer, wire.ClaimResult)
    assert answer.valid
    assert player.sync().players[player.seat].sets_collected == 1


def test_claim_whose_result_is_lost_counts_once(clients: Clients) -> None:
    player = start_match(clients)
    observer = clients.join(player.match_id, metadata=SPECTATE)
    player.wait_until_idle()
    claim_id = player.claim_set()
    player.break_connection()
    observer.wait_for(wire.ClaimResult)
    player.wait_for_answer(claim_id)  # DUPLICATE, unless the result came before the end of the connection
    assert player.sync().players[player.seat].sets_collected == 1


def test_spectator_reconnects_as_spectator(clients: Clients) -> None:
    spectator = clients.join_reconnecting(clients.create_match(ONLINE), metadata=SPECTATE)
    spectator.break_connection()
    assert spectator.sync().your_seats == []
    assert spectator.reconnections == 1


def test_nakama_that_dies_is_restarted_with_its_matches(
    clients: Clients, stoppable_stack: StackUnderTest
) -> None:
    player = start_match(clients)
    os.kill(stoppable_stack.pids[NAKAMA], signal.SIGKILL)
    player.take_set()
    assert player.reconnections == 1


def test_user_finds_the_match_again_after_a_restart(
    clients: Clients, stoppable_stack: StackUnderTest
) -> None:
    player = start_match(clients)
    save_last_change(stoppable_stack, player)
    stoppable_stack.kill_nakama()
    stoppable_stack.start_nakama()
    assert player.client.rpc("set_resume", {})["matches"] == [{"matchId": player.match_id}]
    assert clients.user().rpc("set_resume", {})["matches"] == []


def test_corrupted_row_sets_only_its_match_aside(clients: Clients, stoppable_stack: StackUnderTest) -> None:
    corrupted, intact = start_match(clients), start_match(clients)
    for player in (corrupted, intact):
        save_last_change(stoppable_stack, player)
    stoppable_stack.kill_nakama()
    query(
        stoppable_stack,
        f"UPDATE set_checkpoints SET data = {UNREADABLE} WHERE match = '{corrupted.match_id}'",  # noqa: S608
    )
    stoppable_stack.start_nakama()
    intact.take_set()
    with pytest.raises(NakamaError, match="not found"):
        corrupted.receive()
    assert column(stoppable_stack, corrupted, "set_aside IS NOT NULL") == "t"
