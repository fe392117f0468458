"""What takes its time; it has been going on since the first test of this folder."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.vocabulary import End
from tests.modes.conftest import LEVELS
from tests.modes.party import ONLINE, SINGLE

if TYPE_CHECKING:
    from tests.modes.conftest import Waiting

pytestmark = [pytest.mark.nakama, pytest.mark.slow]

FILL_MS = 60_000
STAYS_MS = 30_000
FASTEST_MS = {"EASY": 6_000, "MEDIUM": 3_500, "HARD": 1_800}
LOOK_EVERY_S = 0.2


@pytest.mark.thread(4)
@pytest.mark.proves("start", ONLINE)
def test_a_table_with_too_few_players_ends_after_a_minute(waiting: Waiting) -> None:
    ended = waiting.alone.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.standings, ended.record_key) == (End.ABANDONED, [], "")


@pytest.mark.proves("start", ONLINE)
def test_a_table_with_enough_players_starts_after_a_minute(waiting: Waiting) -> None:
    for player in waiting.two_of_three:
        started = player.wait_for(wire.MatchStarted)
        assert len(started.players) == 2
        assert started.now_ms == FILL_MS


@pytest.mark.thread(4)
@pytest.mark.proves("label", ONLINE)
def test_a_table_that_nobody_came_to_is_gone(waiting: Waiting) -> None:
    while waiting.alone.table.results is None:
        waiting.alone.receive()
    user = waiting.alone.client
    while any(match["match_id"] == waiting.nobody for match in user.matches("+label.phase:WAITING")):
        time.sleep(LOOK_EVERY_S)


@pytest.mark.thread(3)
def test_an_ended_match_stays_at_most_thirty_seconds(waiting: Waiting) -> None:
    assert 0 < waiting.stayed_ms.result() <= STAYS_MS


@pytest.mark.proves("bots", SINGLE)
def test_one_human_plays_against_three_levels_of_which_the_easy_one_is_the_slowest(waiting: Waiting) -> None:
    host = waiting.against_bots
    dealt = host.wait_for(wire.MatchStarted)
    unlocked_ms, paces = dealt.now_ms, []
    while (told := host.receive()) and not isinstance(told, wire.MatchEnded):
        if isinstance(told, wire.ClaimResult) and told.valid:
            paces.append((LEVELS[told.seat - 1], told.locked_until_ms - unlocked_ms))
            unlocked_ms = told.locked_until_ms
    assert all(pace_ms >= FASTEST_MS[level] for level, pace_ms in paces)
    assert any(level == "HARD" for level, _ in paces)
    assert isinstance(told, wire.MatchEnded)
    assert told.reason == End.TIME_UP
