"""The daily challenge: the same deck for all players on a UTC day (decisions D12, D13; fault F29)."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from match_handler.match.step import LeaderboardWrite, StorageWrite
from match_handler.protocol.payloads import OpCode
from set_core.deck import Deck
from tests.match.driver import MatchDriver, play_to_the_end, started
from tests.match.messages import hint, rematch

DAILY = {"mode": "DAILY_CHALLENGE"}
MIDNIGHT = int(datetime(2026, 12, 1, tzinfo=UTC).timestamp() * 1000)
DAY_MS = 86_400_000


def daily(unix_time_ms: int = MIDNIGHT, **options: object) -> MatchDriver:
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
def test_deck_is_that_of_the_utc_date(unix_time_ms: int, day: int) -> None:
    driver = daily(unix_time_ms)
    assert driver.session.order == bytes(Deck(day).order)
    assert driver.label["day"] == day


def test_match_created_before_midnight_keeps_its_date() -> None:
    driver = MatchDriver(DAILY, unix_time_ms=MIDNIGHT - 1000)
    driver.wait(5_000)
    driver.join("ann")
    assert driver.session.order == bytes(Deck(20261130).order)
    play_to_the_end(driver, "ann")
    driver.loop(rematch("ann"))
    assert driver.session.order == bytes(Deck(20261130).order)
    assert driver.label["day"] == 20261130


@pytest.mark.fault("F29")
def test_all_matches_of_a_day_have_the_same_deck() -> None:
    one, other = daily(MIDNIGHT), daily(MIDNIGHT + 3_600_000, timeLimitSeconds=600)
    assert one.session.order == other.session.order


def test_finished_daily_is_ranked_by_score_then_duration() -> None:
    driver = daily()
    play_to_the_end(driver, "ann")
    storage, ranking = driver.effects
    ended = driver.bodies(OpCode.MATCH_ENDED)[0]
    assert storage is not ranking
    score = driver.session.players[0].score
    assert vars_of(ranking) == ("set_daily_20261201", "ann", "ann", score, merit(score, ended["durationMs"]))


def merit(score: int, duration_ms: int) -> int:
    return score * DAY_MS + DAY_MS - duration_ms


def subscore_of(cards: tuple[int, ...], pause_ms: int) -> int:
    """Return the subscore of a daily game that ends with these cards, the only ones on the board."""
    driver = daily()
    driver.set_deck(range(81), drawn=81, slots=[*cards, *[-1] * (12 - len(cards))])
    driver.wait(pause_ms)
    play_to_the_end(driver, "ann")
    ranking = driver.effects[-1]
    assert isinstance(ranking, LeaderboardWrite)
    return ranking.subscore


def test_points_rank_before_duration() -> None:
    slow_two, fast_one = subscore_of((0, 1, 2, 27, 28, 29), 600_000), subscore_of((0, 1, 2), 0)
    assert slow_two > fast_one


def vars_of(write: object) -> tuple[object, ...]:
    names = ("leaderboard_id", "owner_id", "username", "score", "subscore")
    return tuple(getattr(write, name) for name in names)


@pytest.mark.parametrize(
    "options",
    [
        {"hints": True},
        {"animationMs": {"refill": 0}},
        {"timeLimitSeconds": 86_400},
        {"penalty": "POINT"},
        {"claimOrder": "ARRIVAL"},
    ],
)
def test_daily_with_other_options_is_practice(options: dict[str, Any]) -> None:
    """With animations of 0 ms a script is faster than any player with the default (E21)."""
    driver = daily(**options)
    play_to_the_end(driver, "ann")
    assert [type(effect) for effect in driver.effects] == [StorageWrite]


def test_daily_without_spectators_is_ranked() -> None:
    driver = daily(allowSpectators=False)
    play_to_the_end(driver, "ann")
    assert isinstance(driver.effects[-1], LeaderboardWrite)


@pytest.mark.parametrize("end", [MatchDriver.terminate, lambda driver: driver.leave("ann")])
def test_unfinished_daily_is_not_ranked(end: Callable[[MatchDriver], object]) -> None:
    driver = daily()
    driver.claim_set("ann")
    end(driver)
    assert len(driver.effects) == 1


def test_daily_ended_on_the_next_day_is_recorded_not_ranked() -> None:
    driver = daily(MIDNIGHT + DAY_MS - 10_000)
    driver.wait(10_000)
    play_to_the_end(driver, "ann")
    assert len(driver.effects) == 1


def test_daily_hints_follow_the_option() -> None:
    assert daily(hints=True).send(hint("ann")).op_code is OpCode.HINT_RESULT
    assert daily().send(hint("ann")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_daily_result_expires_an_hour_after_its_day() -> None:
    driver = daily(MIDNIGHT + 5_000)
    play_to_the_end(driver, "ann")
    ranking = driver.effects[-1]
    assert ranking.expires_unix_ms == MIDNIGHT + DAY_MS + 3_600_000


def test_each_day_has_its_own_leaderboard() -> None:
    boards = []
    for start_ms in (MIDNIGHT, MIDNIGHT + DAY_MS):
        driver = daily(start_ms)
        play_to_the_end(driver, "ann")
        ranking = driver.effects[-1]
        assert isinstance(ranking, LeaderboardWrite)
        boards.append(ranking.leaderboard_id)
    assert boards == ["set_daily_20261201", "set_daily_20261202"]
