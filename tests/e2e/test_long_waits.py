"""Matches that take long: they started before the first test of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.vocabulary import End
from tests.e2e.conftest import LEVELS
from tests.e2e.matches import ONLINE, SINGLE
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from tests.e2e.conftest import LongMatches

pytestmark = [pytest.mark.nakama, pytest.mark.slow]

FILL_TIME_MS = 60_000
REMATCH_WITHIN_MS = 30_000
FASTEST_MS = {"EASY": 6_000, "MEDIUM": 3_500, "HARD": 1_800}


@pytest.mark.thread(4)
@pytest.mark.proves("start", ONLINE)
def test_match_with_too_few_players_ends_after_the_fill_time(long_matches: LongMatches) -> None:
    ended = long_matches.alone.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.standings, ended.record_key) == (End.ABANDONED, [], "")


@pytest.mark.proves("start", ONLINE)
def test_match_with_enough_players_starts_after_the_fill_time(long_matches: LongMatches) -> None:
    for player in long_matches.two_of_three:
        started = player.wait_for(wire.MatchStarted)
        assert len(started.players) == 2
        assert started.now_ms == FILL_TIME_MS


@pytest.mark.thread(4)
@pytest.mark.proves("label", ONLINE)
def test_match_without_players_is_removed_from_the_list(long_matches: LongMatches) -> None:
    while long_matches.alone.model.results is None:
        long_matches.alone.receive()
    user = long_matches.alone.client

    def is_listed() -> bool:
        return any(match["match_id"] == long_matches.empty for match in user.matches("+label.phase:WAITING"))

    wait_until(lambda: not is_listed())


@pytest.mark.thread(3)
def test_ended_match_stays_at_most_thirty_seconds(long_matches: LongMatches) -> None:
    assert 0 < long_matches.ended_for_ms.result() <= REMATCH_WITHIN_MS


@pytest.mark.proves("bots", SINGLE)
def test_bots_claim_within_the_limits_of_their_levels(long_matches: LongMatches) -> None:
    player = long_matches.against_bots
    unlocked_ms, delays = player.wait_for(wire.MatchStarted).now_ms, []
    while (message := player.receive()) and not isinstance(message, wire.MatchEnded):
        if isinstance(message, wire.ClaimResult) and message.valid:
            delays.append((LEVELS[message.seat - 1], message.locked_until_ms - unlocked_ms))
            unlocked_ms = message.locked_until_ms
    assert all(delay_ms >= FASTEST_MS[level] for level, delay_ms in delays)
    assert any(level == "HARD" for level, _ in delays)
    assert isinstance(message, wire.MatchEnded)
    assert message.reason == End.TIME_UP
