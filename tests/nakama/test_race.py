from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.vocabulary import Reason

if TYPE_CHECKING:
    from demo.player import Player
    from tests.nakama.conftest import Room

pytestmark = pytest.mark.nakama

RACES = 20
LOCKING = {"validSet": 200, "refill": 100, "invalidSet": 40, "expandBoard": 40}


def race(first: Player, second: Player) -> list[wire.ClaimResult | wire.ClaimRejected]:
    """Both claim the same Set, the first a moment earlier; both answers, as each heard them."""
    for player in (first, second):
        player.wait_until_idle()
    claims = [(player, player.claim_set()) for player in (first, second) if player.table.sets]
    return [player.verdict(claim_id) for player, claim_id in claims]


def judged_in_one_tick(answers: list[wire.ClaimResult | wire.ClaimRejected]) -> list[wire.ClaimResult]:
    """Both results, or nothing if the second claim came a tick later and met the lock."""
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
def test_of_two_claims_on_one_set_in_one_tick_the_smaller_user_id_gets_the_point(room: Room) -> None:
    counted = 0
    while counted < RACES:
        players = room.two(animationMs=LOCKING)
        while counted < RACES and all(player.table.playing for player in players):
            results = judged_in_one_tick(race(*players))
            players = (players[1], players[0])
            if results:
                assert_one_point(results)
                counted += 1
        seen = players[0].sync()
        assert sum(player.score for player in seen.players) == sum(p.sets_collected for p in seen.players)
        for player in players:
            player.leave()
