"""Outages of the rules service: what players receive, and what happens to their claims."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.duel import Duel, Pace
from demo.client.nakama_socket import NakamaError
from demo.client.sets import a_non_set
from demo.client.vocabulary import Reason

if TYPE_CHECKING:
    from demo.client.player import Player
    from demo.stack.native import NativeStack
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

OUTAGE_S = 1.5
UNAVAILABLE = 14
JOIN_REJECTED = 5


def paused(status: wire.ServiceStatus) -> bool:
    return status.paused


def resumed(status: wire.ServiceStatus) -> bool:
    return not status.paused


def play_claims(players: tuple[Player, Player], claims: int) -> None:
    """Let the players claim Sets in turn."""
    for number in range(claims):
        for player in players:
            player.wait_until_idle()
        claimant = players[number % 2]
        assert isinstance(claimant.wait_for_answer(claimant.claim_set()), wire.ClaimResult)


def send_claims(players: tuple[Player, Player]) -> list[tuple[Player, str]]:
    """Let both players claim the same Set, and one of them also three cards that are not a Set."""
    one, other = players
    cards = one.first_set()
    return [
        (one, one.claim(cards)),
        (other, other.claim(cards)),
        (other, other.claim(a_non_set(other.model.board))),
    ]


def player_changes(player: Player) -> list[wire.Message]:
    return [message for message in player.messages if isinstance(message, wire.PlayerChanged)]


@pytest.mark.fault("F22")
@pytest.mark.thread(1)
def test_outage_loses_nothing_and_stops_the_match_clock(
    room: Room,
    stoppable_stack: NativeStack,
) -> None:
    players = room.two()
    play_claims(players, 4)
    before, _ = [player.wait_until_idle() for player in players]
    started = time.monotonic()
    changes = [len(player_changes(player)) for player in players]

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
    assert [len(player_changes(player)) for player in players] == changes
    assert sum(player.score for player in after.players) == 5
    Duel(*players, Pace(0.0, 0.0)).play()


def assert_each_answered_once(players: tuple[Player, Player], claims: list[tuple[Player, str]]) -> None:
    for player in players:
        player.sync()
    answers = [player.answers_to(claim_id) for player, claim_id in claims]
    assert [len(each) for each in answers] == [1, 1, 1]
    results = [each[0] for each in answers]
    assert sum(isinstance(result, wire.ClaimResult) and result.valid for result in results) == 1


@pytest.mark.fault("F26")
@pytest.mark.thread(1)
def test_every_claim_counts_once_in_repeated_outages(room: Room, stoppable_stack: NativeStack) -> None:
    players = room.two()
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
        results = [message for message in player.messages if isinstance(message, wire.ClaimResult)]
        ids = [result.claim_id for result in results]
        assert len(ids) == len(set(ids))


def test_idle_match_receives_pause_and_resume(room: Room, stoppable_stack: NativeStack) -> None:
    one, other = room.two()
    before = one.wait_until_idle()
    stoppable_stack.kill_rules()
    for player in (one, other):
        player.wait_for(wire.ServiceStatus, paused)
    stoppable_stack.start_rules()
    for player in (one, other):
        player.wait_for(wire.ServiceStatus, resumed)
    assert one.sync().seq == before.seq


@pytest.mark.thread(15)
def test_lobby_returns_unavailable_during_an_outage(room: Room, stoppable_stack: NativeStack) -> None:
    user = room.user()
    stoppable_stack.kill_rules()
    for name in ("set_create_match", "set_find_match"):
        with pytest.raises(NakamaError) as error:
            user.rpc(name, {})
        assert error.value.code == UNAVAILABLE


def test_join_is_rejected_only_during_the_outage(room: Room, stoppable_stack: NativeStack) -> None:
    match_id = room.match()
    first = room.sit(match_id)
    user = room.user()
    stoppable_stack.kill_rules()
    first.wait_for(wire.ServiceStatus, paused)
    with pytest.raises(NakamaError, match="rules service unavailable, try again") as error:
        room.sit(match_id, user)
    assert error.value.code == JOIN_REJECTED
    stoppable_stack.start_rules()
    first.wait_for(wire.ServiceStatus, resumed)
    second = room.sit(match_id, user)
    assert second.wait_for(wire.MatchStarted).game == 1


def test_lock_continues_after_the_outage(room: Room, stoppable_stack: NativeStack) -> None:
    long_locks = {"validSet": 10_000, "refill": 10_000, "invalidSet": 40, "expandBoard": 40}
    one, other = room.two(animationMs=long_locks)
    one.wait_for_answer(one.claim_set())
    stoppable_stack.kill_rules()
    one.wait_for(wire.ServiceStatus, paused)
    stoppable_stack.start_rules()
    one.wait_for(wire.ServiceStatus, resumed)
    answer = other.wait_for_answer(other.claim([0, 1, 2]))
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.LOCKED
