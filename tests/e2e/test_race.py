"""Two claims on the same Set in one tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.vocabulary import Reason

if TYPE_CHECKING:
    from demo.client.player import Player
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

RACES = 20
LOCKS_MS = {"validSet": 200, "refill": 100, "invalidSet": 40, "expandBoard": 40}


def race(first: Player, second: Player) -> list[wire.ClaimResult | wire.ClaimRejected]:
    """Let both players claim the same Set, `first` slightly earlier; return their answers in this order."""
    for player in (first, second):
        player.wait_until_idle()
    claims = [(player, player.claim_set()) for player in (first, second) if player.model.sets]
    return [player.wait_for_answer(claim_id) for player, claim_id in claims]


def results_of_one_tick(answers: list[wire.ClaimResult | wire.ClaimRejected]) -> list[wire.ClaimResult]:
    """Return both results, or an empty list if the second claim was one tick later and locked."""
    results = [answer for answer in answers if isinstance(answer, wire.ClaimResult)]
    return results if len(results) == 2 else []


def assert_one_point(results: list[wire.ClaimResult]) -> None:
    winner, loser = sorted(results, key=lambda result: not result.valid)
    assert winner.valid
    assert winner.score_delta == 1
    assert not loser.valid
    assert loser.reason == Reason.STALE
    assert loser.score_delta == 0
    assert winner.user_id < loser.user_id


@pytest.mark.fault("F1")
def test_smaller_user_id_wins_two_claims_in_one_tick(room: Room) -> None:
    races = 0
    while races < RACES:
        players = room.two(animationMs=LOCKS_MS)
        while races < RACES and all(player.model.playing for player in players):
            results = results_of_one_tick(race(*players))
            players = (players[1], players[0])
            if results:
                assert_one_point(results)
                races += 1
        snapshot = players[0].sync()
        assert all(player.score == player.sets_collected for player in snapshot.players)
        for player in players:
            player.leave()
