"""What invalid claims cost (rules, "Penalty modes" and "Scoring"; fault F23)."""

import pytest

from match_handler.protocol.payloads import OpCode
from tests.match.driver import started

TIMED = {"penalty": "TIME", "timeLimitSeconds": 60}


def test_without_a_penalty_nothing_is_lost() -> None:
    table = started()
    table.award("ann")
    told = table.claim("ann", table.not_a_set).body
    assert (told["scoreDelta"], told["player"]["score"], told["player"]["invalidAttempts"]) == (0, 1, 1)


def test_a_point_is_lost_but_never_below_0() -> None:
    table = started({"penalty": "POINT"})
    scores = [table.claim("ann", table.not_a_set).body["player"]["score"]]
    scores.append(table.award("ann").body["player"]["score"])
    for _ in range(2):
        table.wait(1000)
        told = table.claim("ann", table.not_a_set).body
        scores.append(told["player"]["score"])
    assert scores == [0, 1, 0, 0]
    assert told["scoreDelta"] == 0
    assert told["player"]["setsCollected"] == 1


def test_the_score_s_change_is_told() -> None:
    table = started({"penalty": "POINT"})
    table.award("ann")
    assert table.claim("ann", table.not_a_set).body["scoreDelta"] == -1


@pytest.mark.parametrize(("seconds", "left"), [(5, 55_000), (20, 40_000)])
def test_time_is_taken_off_the_player_s_own_clock(seconds: int, left: int) -> None:
    table = started({**TIMED, "timePenaltySeconds": seconds})
    since_ms = table.session.started_ms
    told = table.claim("ann", table.not_a_set).body
    assert told["player"]["timeRemainingMs"] == left - (table.now_ms - since_ms)
    assert told["scoreDelta"] == 0
    snapshot = table.snapshot("bob")
    assert snapshot["timeRemainingMs"] == 60_000 - (table.now_ms - since_ms)
    assert snapshot["players"][1]["timeRemainingMs"] == snapshot["timeRemainingMs"]


def test_a_penalty_that_uses_up_a_clock_ends_the_match_for_all() -> None:
    table = started({**TIMED, "timePenaltySeconds": 30})
    table.award("ann")
    table.claim("bob", table.not_a_set)
    table.wait(1000)
    answer = table.claim("bob", table.not_a_set).body
    (ended,) = table.of(OpCode.MATCH_ENDED)
    assert answer["player"]["timeRemainingMs"] == 0
    assert ended["reason"] == "END_REASON_CLOCK_PENALTY"
    assert ended["winnerSeat"] == 0


def test_a_clock_shortened_by_penalties_ends_the_match_in_time() -> None:
    table = started({**TIMED, "timePenaltySeconds": 30})
    table.claim("bob", table.not_a_set)
    assert table.wake_ms == table.session.started_ms + 30_000
    table.wait(30_000)
    (ended,) = table.of(OpCode.MATCH_ENDED)
    assert ended["reason"] == "END_REASON_TIME_UP"
    assert ended["durationMs"] == 30_000


def test_the_clock_of_who_has_forfeited_ends_nothing() -> None:
    table = started({**TIMED, "timePenaltySeconds": 30, "maxPlayers": 3}, "ann", "bob", "cat")
    table.claim("bob", table.not_a_set)
    table.leave("bob")
    assert table.wake_ms == table.session.started_ms + 60_000
