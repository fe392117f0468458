"""What a player sent before the connection was lost, or before leaving, counts: it came in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo import messages as wire

if TYPE_CHECKING:
    from tests.nakama.conftest import Room

pytestmark = pytest.mark.nakama

TIMES = 5
LOCKING = {"validSet": 40, "refill": 40, "invalidSet": 40, "expandBoard": 40}


def test_a_claim_counts_whose_sender_loses_the_connection_at_once(room: Room) -> None:
    ann, bob = room.two(animationMs=LOCKING)
    for points in range(1, TIMES + 1):
        ann.wait_until_idle()
        claim_id = ann.claim_set()
        ann.drop()
        verdict = bob.verdict(claim_id)
        assert isinstance(verdict, wire.ClaimResult)
        assert (verdict.valid, verdict.player.score) == (True, points)
        ann.rejoin()
    assert ann.score == TIMES


def test_a_claim_counts_whose_sender_leaves_at_once(room: Room) -> None:
    ann, bob = room.two()
    claim_id = ann.claim_set()
    ann.leave()
    verdict = bob.verdict(claim_id)
    assert isinstance(verdict, wire.ClaimResult)
    assert verdict.valid
    ended = bob.wait_for(wire.MatchEnded)
    assert ended.winner_seat == bob.seat
    assert {line.player.user_id: line.player.score for line in ended.standings} == {
        ann.client.user_id: 1,
        bob.client.user_id: 0,
    }
