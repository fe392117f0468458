"""A claim counts if it was sent before the connection was lost or the player left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire

if TYPE_CHECKING:
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

CLAIMS = 5
LOCKS_MS = {"validSet": 40, "refill": 40, "invalidSet": 40, "expandBoard": 40}


def test_claim_counts_if_the_connection_is_lost_after_it(room: Room) -> None:
    ann, bob = room.two(animationMs=LOCKS_MS)
    for points in range(1, CLAIMS + 1):
        ann.wait_until_idle()
        claim_id = ann.claim_set()
        ann.break_connection()
        result = bob.wait_for_answer(claim_id)
        assert isinstance(result, wire.ClaimResult)
        assert (result.valid, result.player.score) == (True, points)
        ann.rejoin()
    assert ann.score == CLAIMS


def test_claim_counts_if_the_player_leaves_after_it(room: Room) -> None:
    ann, bob = room.two()
    claim_id = ann.claim_set()
    ann.leave()
    result = bob.wait_for_answer(claim_id)
    assert isinstance(result, wire.ClaimResult)
    assert result.valid
    ended = bob.wait_for(wire.MatchEnded)
    assert ended.winner_seat == bob.seat
    assert {line.player.user_id: line.player.score for line in ended.standings} == {
        ann.client.user_id: 1,
        bob.client.user_id: 0,
    }
