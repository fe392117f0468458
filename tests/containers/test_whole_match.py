"""Whole matches on the containers, with tests of the native stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.vocabulary import End, Op
from tests.e2e.test_whole_match import test_client_models_equal_the_match_until_the_end

if TYPE_CHECKING:
    from tests.support.clients import Clients

pytestmark = pytest.mark.containers

__all__ = ["test_client_models_equal_the_match_until_the_end"]


def test_rematch_starts_a_second_game(clients: Clients) -> None:
    one, other = clients.pair(timeLimitSeconds=1)
    for player in (one, other):
        assert player.wait_for(wire.MatchEnded).reason == End.TIME_UP
        player.send(Op.REMATCH, {})
    for player in (one, other):
        assert player.wait_for(wire.MatchStarted).game == 2
        player.wait_for_answer(player.claim_set())
    assert one.sync().game == 2
