from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.duel import Duel, Pace
from demo.nakama_socket import NakamaError
from demo.sets import a_non_set
from demo.vocabulary import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.player import Player
    from demo.stack import NativeStack
    from tests.nakama.conftest import Room

pytestmark = pytest.mark.nakama

DEAD_S = 1.5
UNAVAILABLE = 14
JOIN_REJECTED = 5


@pytest.fixture
def mortal(stack: NativeStack) -> Iterator[NativeStack]:
    """The stack, whose rules service lives again after the test."""
    yield stack
    if "rules service" not in stack.pids:
        stack.start_rules()


def paused(status: wire.ServiceStatus) -> bool:
    return status.paused


def resumed(status: wire.ServiceStatus) -> bool:
    return not status.paused


def play_some(players: tuple[Player, Player], moves: int) -> None:
    for number in range(moves):
        for player in players:
            player.wait_until_idle()
        claimant = players[number % 2]
        assert isinstance(claimant.verdict(claimant.claim_set()), wire.ClaimResult)


def claim_while_dead(players: tuple[Player, Player]) -> list[tuple[Player, str]]:
    """One Set claimed by both, and three cards that are no Set."""
    one, other = players
    target = one.a_set()
    return [
        (one, one.claim(target)),
        (other, other.claim(target)),
        (other, other.claim(a_non_set(other.table.board))),
    ]


def disconnections(player: Player) -> list[wire.Message]:
    return [message for message in player.heard if isinstance(message, wire.PlayerChanged)]


@pytest.mark.fault("F22")
@pytest.mark.thread(1)
def test_a_killed_service_loses_no_claim_and_no_player_and_the_clock_stands_still(
    room: Room,
    mortal: NativeStack,
) -> None:
    players = room.two()
    play_some(players, 4)
    before, _ = [player.wait_until_idle() for player in players]
    began = time.monotonic()
    changes = [len(disconnections(player)) for player in players]

    mortal.kill_rules()
    for player in players:
        player.wait_for(wire.ServiceStatus, paused)
    stopped = time.monotonic()
    claims = claim_while_dead(players)
    time.sleep(DEAD_S)
    dead_ms = 1000 * (time.monotonic() - stopped)
    mortal.start_rules()

    for player in players:
        player.wait_for(wire.ServiceStatus, resumed)
    after = players[0].sync()
    passed_ms = 1000 * (time.monotonic() - began)
    assert passed_ms - (after.now_ms - before.now_ms) >= dead_ms
    assert_each_answered_once(players, claims)
    assert [len(disconnections(player)) for player in players] == changes
    assert sum(player.score for player in after.players) == 5
    Duel(*players, Pace(0.0, 0.0)).play()


def assert_each_answered_once(players: tuple[Player, Player], claims: list[tuple[Player, str]]) -> None:
    for player in players:
        player.sync()
    answers = [player.answers_to(claim_id) for player, claim_id in claims]
    assert [len(heard) for heard in answers] == [1, 1, 1]
    results = [heard[0] for heard in answers]
    assert sum(isinstance(result, wire.ClaimResult) and result.valid for result in results) == 1


@pytest.mark.fault("F26")
@pytest.mark.thread(1)
def test_killed_again_and_again_in_one_match_everything_counts_once(room: Room, mortal: NativeStack) -> None:
    players = room.two()
    for sets in range(1, 5):
        for player in players:
            player.wait_until_idle()
        mortal.kill_rules()
        claims = [(player, player.claim(players[0].a_set())) for player in players]
        mortal.start_rules()
        answers = [player.verdict(claim_id) for player, claim_id in claims]
        assert sum(isinstance(answer, wire.ClaimResult) and answer.valid for answer in answers) == 1
        seen = players[0].sync()
        assert sum(player.sets_collected for player in seen.players) == sets
    for player in players:
        player.sync()
        ids = [heard.claim_id for heard in player.heard if isinstance(heard, wire.ClaimResult)]
        assert len(ids) == len(set(ids))


def test_an_idle_match_hears_of_the_outage_without_anybody_doing_anything(
    room: Room,
    mortal: NativeStack,
) -> None:
    one, other = room.two()
    before = one.wait_until_idle()
    mortal.kill_rules()
    for player in (one, other):
        player.wait_for(wire.ServiceStatus, paused)
    mortal.start_rules()
    for player in (one, other):
        player.wait_for(wire.ServiceStatus, resumed)
    assert one.sync().seq == before.seq


@pytest.mark.thread(15)
def test_while_the_service_is_away_creating_and_finding_answer_unavailable(
    room: Room,
    mortal: NativeStack,
) -> None:
    user = room.user()
    mortal.kill_rules()
    for name in ("set_create_match", "set_find_match"):
        with pytest.raises(NakamaError) as refused:
            user.rpc(name, {})
        assert refused.value.code == UNAVAILABLE


def test_while_the_service_is_away_nobody_joins_and_afterwards_they_may(
    room: Room, mortal: NativeStack
) -> None:
    match_id = room.match()
    first = room.sit(match_id)
    late = room.user()
    mortal.kill_rules()
    first.wait_for(wire.ServiceStatus, paused)
    with pytest.raises(NakamaError, match="rules service unavailable, try again") as refused:
        room.sit(match_id, late)
    assert refused.value.code == JOIN_REJECTED
    mortal.start_rules()
    first.wait_for(wire.ServiceStatus, resumed)
    second = room.sit(match_id, late)
    assert second.wait_for(wire.MatchStarted).game == 1


def test_a_lock_that_was_running_goes_on_after_the_outage(room: Room, mortal: NativeStack) -> None:
    long = {"validSet": 10_000, "refill": 10_000, "invalidSet": 40, "expandBoard": 40}
    one, other = room.two(animationMs=long)
    one.verdict(one.claim_set())
    mortal.kill_rules()
    one.wait_for(wire.ServiceStatus, paused)
    mortal.start_rules()
    one.wait_for(wire.ServiceStatus, resumed)
    answer = other.verdict(other.claim([0, 1, 2]))
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.LOCKED
