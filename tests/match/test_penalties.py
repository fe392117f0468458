"""Clocks in messages and the end of the match after time penalties (rule R28)."""

import pytest

from match_handler.protocol.payloads import OpCode
from tests.match.driver import started

TIMED = {"penalty": "TIME", "timeLimitSeconds": 60}


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
