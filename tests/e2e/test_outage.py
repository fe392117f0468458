"""Outages of the rules service: messages to players, and the judging of their claims."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.duel import play_duel
from demo.client.nakama_socket import NakamaError
from demo.client.sets import a_non_set
from tests.support.clients import CLAIM_ORDERS, JOIN_REJECTED, UNAVAILABLE

if TYPE_CHECKING:
    from demo.client.player import Player
    from demo.stack.native import NativeStack
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

OUTAGE_S = 1.5


def paused(status: wire.ServiceStatus) -> bool:
    return status.paused


def resumed(status: wire.ServiceStatus) -> bool:
    return not status.paused


def send_claims(players: tuple[Player, Player]) -> list[tuple[Player, str]]:
    """Let both players claim the same Set, and one of them also three cards that are not a Set."""
    one, other = players
    cards = one.first_set()
    return [
        (one, one.claim(cards)),
        (other, other.claim(cards)),
        (other, other.claim(a_non_set(other.model.board))),
    ]


@pytest.mark.fault("F22")
@pytest.mark.thread(1)
@pytest.mark.parametrize("order", CLAIM_ORDERS)
def test_outage_loses_nothing_and_stops_the_match_clock(
    clients: Clients,
    stoppable_stack: NativeStack,
    order: str,
) -> None:
    players = clients.pair(claimOrder=order)
    for claimant in players * 2:
        claimant.take_set()
    before, _ = [player.wait_until_idle() for player in players]
    started = time.monotonic()
    changes = [len(player.received(wire.PlayerChanged)) for player in players]

    stoppable_stack.kill_rules()
    for player in players:
        player.wait_for(wire.ServiceStatus, paused)
    outage_started = time.monotonic()
    claims = send_claims(players)
    time.sleep(OUTAGE_S)
    outage_ms = 1000 * (time.monotonic() - outage_started)
    stoppable_stack.start_rules()

    for player in players:
        player.wait_for(wire.ServiceStatus, resumed)
    after = players[0].sync()
    passed_ms = 1000 * (time.monotonic() - started)
    assert passed_ms - (after.now_ms - before.now_ms) >= outage_ms
    assert_each_answered_once(players, claims)
    assert [len(player.received(wire.PlayerChanged)) for player in players] == changes
    assert sum(player.score for player in after.players) == 5
    play_duel(players)


def assert_each_answered_once(players: tuple[Player, Player], claims: list[tuple[Player, str]]) -> None:
    for player in players:
        player.sync()
    answers = [player.answers_to(claim_id) for player, claim_id in claims]
    assert [len(each) for each in answers] == [1, 1, 1]
    results = [each[0] for each in answers]
    assert sum(isinstance(result, wire.ClaimResult) and result.valid for result in results) == 1


@pytest.mark.fault("F26")
@pytest.mark.thread(1)
@pytest.mark.parametrize("order", CLAIM_ORDERS)
def test_every_claim_counts_once_in_repeated_outages(
    clients: Clients, stoppable_stack: NativeStack, order: str
) -> None:
    players = clients.pair(claimOrder=order)
    for sets in range(1, 5):
        for player in players:
            player.wait_until_idle()
        stoppable_stack.kill_rules()
        claims = [(player, player.claim(players[0].first_set())) for player in players]
        stoppable_stack.start_rules()
        answers = [player.wait_for_answer(claim_id) for player, claim_id in claims]
        assert sum(isinstance(answer, wire.ClaimResult) and answer.valid for answer in answers) == 1
        snapshot = players[0].sync()
        assert sum(player.sets_collected for player in snapshot.players) == sets
    for player in players:
        player.sync()
        ids = [result.claim_id for result in player.received(wire.ClaimResult)]
        assert len(ids) == len(set(ids))


def test_idle_match_receives_pause_and_resume(clients: Clients, stoppable_stack: NativeStack) -> None:
    one, other = clients.pair()
    before = one.wait_until_idle()
    stoppable_stack.kill_rules()
    for player in (one, other):
        player.wait_for(wire.ServiceStatus, paused)
    stoppable_stack.start_rules()
    for player in (one, other):
        player.wait_for(wire.ServiceStatus, resumed)
    assert one.sync().seq == before.seq


@pytest.mark.thread(15)
def test_lobby_returns_unavailable_during_an_outage(clients: Clients, stoppable_stack: NativeStack) -> None:
    user = clients.user()
    stoppable_stack.kill_rules()
    for name in ("set_create_match", "set_find_match"):
        with pytest.raises(NakamaError) as error:
            user.rpc(name, {})
        assert error.value.code == UNAVAILABLE


def test_join_is_rejected_only_during_the_outage(clients: Clients, stoppable_stack: NativeStack) -> None:
    match_id = clients.create_match()
    first = clients.join(match_id)
    user = clients.user()
    stoppable_stack.kill_rules()
    first.wait_for(wire.ServiceStatus, paused)
    with pytest.raises(NakamaError, match="rules service unavailable, try again") as error:
        clients.join(match_id, user)
    assert error.value.code == JOIN_REJECTED
    stoppable_stack.start_rules()
    first.wait_for(wire.ServiceStatus, resumed)
    second = clients.join(match_id, user)
    assert second.wait_for(wire.MatchStarted).game == 1
