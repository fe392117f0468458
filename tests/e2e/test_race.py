"""Two claims on the same Set in one tick."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.vocabulary import Reason

if TYPE_CHECKING:
    from demo.client.player import Player
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

RACES = 20
LOCKS_MS = {"validSet": 200, "refill": 100, "invalidSet": 40, "expandBoard": 40}


def race(first: Player, second: Player) -> list[wire.ClaimResult]:
    """Let both players claim the same Set, `first` slightly earlier.

    Returns:
        Both results, or less if the second claim was one tick later and locked.
    """
    for player in (first, second):
        player.wait_until_idle()
    claims = [(player, player.claim_set()) for player in (first, second) if player.model.sets]
    answers = [player.wait_for_answer(claim_id) for player, claim_id in claims]
    return [answer for answer in answers if isinstance(answer, wire.ClaimResult)]


def assert_one_point(results: list[wire.ClaimResult]) -> None:
    winner, loser = sorted(results, key=lambda result: not result.valid)
    assert (winner.valid, winner.score_delta) == (True, 1)
    assert (loser.valid, loser.reason, loser.score_delta) == (False, Reason.STALE, 0)
    assert winner.user_id < loser.user_id


@pytest.mark.fault("F1")
def test_smaller_user_id_wins_two_claims_in_one_tick(clients: Clients) -> None:
    races = 0
    while races < RACES:
        players = clients.pair(animationMs=LOCKS_MS)
        while races < RACES and all(player.model.playing for player in players):
            results = race(*players)
            players = (players[1], players[0])
            if len(results) == 2:
                assert_one_point(results)
                races += 1
        snapshot = players[0].sync()
        assert all(player.score == player.sets_collected for player in snapshot.players)
        for player in players:
            player.leave()
