"""The cost of invalid claims (rules R27 and R28; fault F23)."""

import pytest

from match_handler.protocol.payloads import OpCode
from tests.match.driver import started

TIMED = {"penalty": "TIME", "timeLimitSeconds": 60}


def test_penalty_none_costs_nothing() -> None:
    driver = started()
    driver.claim_set("ann")
    body = driver.claim("ann", driver.not_a_set).body
    assert (body["scoreDelta"], body["player"]["score"], body["player"]["invalidAttempts"]) == (
        0,
        1,
        1,
    )


def test_point_penalty_never_falls_below_zero() -> None:
    driver = started({"penalty": "POINT"})
    scores = [driver.claim("ann", driver.not_a_set).body["player"]["score"]]
    scores.append(driver.claim_set("ann").body["player"]["score"])
    for _ in range(2):
        driver.wait(1000)
        body = driver.claim("ann", driver.not_a_set).body
        scores.append(body["player"]["score"])
    assert scores == [0, 1, 0, 0]
    assert body["scoreDelta"] == 0
    assert body["player"]["setsCollected"] == 1


def test_claim_result_has_the_score_change() -> None:
    driver = started({"penalty": "POINT"})
    driver.claim_set("ann")
    assert driver.claim("ann", driver.not_a_set).body["scoreDelta"] == -1


@pytest.mark.parametrize(("seconds", "left"), [(5, 55_000), (20, 40_000)])
def test_time_penalty_shortens_only_the_own_clock(seconds: int, left: int) -> None:
    driver = started({**TIMED, "timePenaltySeconds": seconds})
    since_ms = driver.session.started_ms
    body = driver.claim("ann", driver.not_a_set).body
    assert body["player"]["timeRemainingMs"] == left - (driver.now_ms - since_ms)
    assert body["scoreDelta"] == 0
    snapshot = driver.snapshot("bob")
    assert snapshot["timeRemainingMs"] == 60_000 - (driver.now_ms - since_ms)
    assert snapshot["players"][1]["timeRemainingMs"] == snapshot["timeRemainingMs"]


def test_penalty_that_uses_up_a_clock_ends_the_match_for_all() -> None:
    driver = started({**TIMED, "timePenaltySeconds": 30})
    driver.claim_set("ann")
    driver.claim("bob", driver.not_a_set)
    driver.wait(1000)
    answer = driver.claim("bob", driver.not_a_set).body
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    assert answer["player"]["timeRemainingMs"] == 0
    assert ended["reason"] == "END_REASON_CLOCK_PENALTY"
    assert ended["winnerSeat"] == 0


def test_clock_shortened_by_penalties_ends_the_match() -> None:
    driver = started({**TIMED, "timePenaltySeconds": 30})
    driver.claim("bob", driver.not_a_set)
    assert driver.wake_ms == driver.session.started_ms + 30_000
    driver.wait(30_000)
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    assert ended["reason"] == "END_REASON_TIME_UP"
    assert ended["durationMs"] == 30_000


def test_clock_of_a_forfeited_player_ends_nothing() -> None:
    driver = started({**TIMED, "timePenaltySeconds": 30, "maxPlayers": 3}, "ann", "bob", "cat")
    driver.claim("bob", driver.not_a_set)
    driver.leave("bob")
    assert driver.wake_ms == driver.session.started_ms + 60_000
