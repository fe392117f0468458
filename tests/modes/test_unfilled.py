"""Tables that did not fill; they have waited since the first test of this folder."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.vocabulary import End
from tests.modes.party import ONLINE

if TYPE_CHECKING:
    from tests.modes.conftest import Unfilled

pytestmark = [pytest.mark.nakama, pytest.mark.slow]

FILL_MS = 60_000
LOOK_EVERY_S = 0.2


@pytest.mark.thread(4)
@pytest.mark.proves("start", ONLINE)
def test_a_table_with_too_few_players_ends_after_a_minute(unfilled: Unfilled) -> None:
    ended = unfilled.alone.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.standings, ended.record_key) == (End.ABANDONED, [], "")


@pytest.mark.proves("start", ONLINE)
def test_a_table_with_enough_players_starts_after_a_minute(unfilled: Unfilled) -> None:
    for player in unfilled.two_of_three:
        started = player.wait_for(wire.MatchStarted)
        assert len(started.players) == 2
        assert started.now_ms == FILL_MS


@pytest.mark.thread(4)
@pytest.mark.proves("label", ONLINE)
def test_a_table_that_nobody_came_to_is_gone(unfilled: Unfilled) -> None:
    unfilled.alone.wait_for(wire.MatchEnded) if unfilled.alone.table.results is None else None
    user = unfilled.alone.client
    while any(match["match_id"] == unfilled.nobody for match in user.matches("+label.phase:WAITING")):
        time.sleep(LOOK_EVERY_S)
