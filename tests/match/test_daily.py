"""The daily challenge: one deck for everybody on a UTC day (decisions D12, D13; fault F29)."""

from datetime import UTC, datetime
from typing import Any

import pytest

from match_handler.match.step import LeaderboardWrite, StorageWrite
from match_handler.protocol.payloads import OpCode
from set_core.deck import Deck
from tests.match.driver import TableDriver, play_to_the_end, started
from tests.match.said import hint, rematch

DAILY = {"mode": "DAILY_CHALLENGE"}
MIDNIGHT = int(datetime(2026, 12, 1, tzinfo=UTC).timestamp() * 1000)
DAY_MS = 86_400_000


def daily(unix_time_ms: int = MIDNIGHT, **options: object) -> TableDriver:
    return started({**DAILY, **options}, "ann", unix_time_ms=unix_time_ms)


@pytest.mark.parametrize(
    ("unix_time_ms", "day"),
    [
        (MIDNIGHT - 1, 20261130),
        (MIDNIGHT, 20261201),
        (MIDNIGHT + DAY_MS - 1, 20261201),
        (MIDNIGHT + DAY_MS, 20261202),
    ],
)
def test_the_deck_is_that_of_the_utc_date(unix_time_ms: int, day: int) -> None:
    table = daily(unix_time_ms)
    assert table.session.order == bytes(Deck(day).order)
    assert table.label["day"] == day


def test_a_match_begun_before_midnight_keeps_its_date() -> None:
    table = TableDriver(DAILY, unix_time_ms=MIDNIGHT - 1000)
    table.wait(5_000)
    table.join("ann")
    assert table.session.order == bytes(Deck(20261130).order)
    play_to_the_end(table, "ann")
    table.loop(rematch("ann"))
    assert table.session.order == bytes(Deck(20261130).order)
    assert table.label["day"] == 20261130


def test_everybody_gets_the_same_deck_whatever_the_match() -> None:
    one, other = daily(MIDNIGHT), daily(MIDNIGHT + 3_600_000, timeLimitSeconds=600)
    assert one.session.order == other.session.order


def test_a_finished_daily_is_ranked_by_score_then_haste() -> None:
    table = daily()
    play_to_the_end(table, "ann")
    storage, ranking = table.effects
    ended = table.of(OpCode.MATCH_ENDED)[0]
    assert storage is not ranking
    score = table.session.players[0].score
    assert vars_of(ranking) == ("set_daily_20261201", "ann", "ann", score, merit(score, ended["durationMs"]))


def merit(score: int, duration_ms: int) -> int:
    return score * DAY_MS + DAY_MS - duration_ms


def test_no_faster_game_with_fewer_points_has_the_better_subscore() -> None:
    assert merit(2, DAY_MS - 1) > merit(1, 1)


def vars_of(write: object) -> tuple[object, ...]:
    names = ("leaderboard_id", "owner_id", "username", "score", "subscore")
    return tuple(getattr(write, name) for name in names)


@pytest.mark.parametrize(
    "options",
    [{"hints": True}, {"animationMs": {"refill": 0}}, {"timeLimitSeconds": 86_400}, {"penalty": "POINT"}],
)
def test_a_daily_with_other_options_is_practice(options: dict[str, Any]) -> None:
    """With animations of 0 ms a script is faster than anybody with the default (E21)."""
    table = daily(**options)
    play_to_the_end(table, "ann")
    assert [type(effect) for effect in table.effects] == [StorageWrite]


def test_a_daily_without_spectators_is_ranked() -> None:
    table = daily(allowSpectators=False)
    play_to_the_end(table, "ann")
    assert isinstance(table.effects[-1], LeaderboardWrite)


def test_an_abandoned_daily_is_not_ranked() -> None:
    table = daily()
    table.award("ann")
    table.leave("ann")
    assert len(table.effects) == 1


def test_a_terminated_daily_is_not_ranked() -> None:
    table = daily()
    table.award("ann")
    table.terminate()
    assert len(table.effects) == 1


def test_a_daily_that_ends_on_the_next_day_is_recorded_but_not_ranked() -> None:
    table = daily(MIDNIGHT + DAY_MS - 10_000)
    table.wait(10_000)
    play_to_the_end(table, "ann")
    assert len(table.effects) == 1


def test_hints_can_be_had_if_the_options_say_so() -> None:
    assert daily(hints=True).say(hint("ann")).op_code is OpCode.HINT_RESULT
    assert daily().say(hint("ann")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_a_daily_result_expires_an_hour_after_its_day() -> None:
    table = daily(MIDNIGHT + 5_000)
    play_to_the_end(table, "ann")
    ranking = table.effects[-1]
    assert ranking.expires_unix_ms == MIDNIGHT + DAY_MS + 3_600_000


def test_each_day_has_a_leaderboard_of_its_own() -> None:
    boards = []
    for start_ms in (MIDNIGHT, MIDNIGHT + DAY_MS):
        table = daily(start_ms)
        play_to_the_end(table, "ann")
        ranking = table.effects[-1]
        assert isinstance(ranking, LeaderboardWrite)
        boards.append(ranking.leaderboard_id)
    assert boards == ["set_daily_20261201", "set_daily_20261202"]
