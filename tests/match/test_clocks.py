"""Time limits and claims close to the deadline (decisions D7, D8; fault F22)."""

from collections.abc import Callable

import pytest

from match_handler.match.match import IDLE_MS
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, started
from tests.match.messages import claim, sync

LIMIT_MS = 10_000


def timed(**options: object) -> MatchDriver:
    return started({"timeLimitSeconds": LIMIT_MS // 1000, **options})


def end_ms(driver: MatchDriver) -> int:
    return driver.session.started_ms + LIMIT_MS


def almost_over(**options: object) -> MatchDriver:
    """Return a match whose next tick, 50 ms later, is 20 ms after the end."""
    driver = timed(**options)
    driver.wait(end_ms(driver) - 30 - driver.now_ms)
    return driver


def test_time_limit_ends_the_game_once() -> None:
    driver = timed()
    assert driver.wake_ms == end_ms(driver)
    driver.claim_set("bob")
    driver.wait(LIMIT_MS)
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    assert ended["reason"] == "END_REASON_TIME_UP"
    assert ended["durationMs"] == LIMIT_MS
    assert ended["winnerSeat"] == 1
    driver.wait(20_000)
    assert len(driver.bodies(OpCode.MATCH_ENDED)) == 1


def test_late_call_ends_the_game_at_its_deadline() -> None:
    driver = timed()
    driver.loop(after_ms=60_000)
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["durationMs"] == LIMIT_MS


@pytest.mark.parametrize(("before_ms", "counts"), [(1, True), (0, False), (-1, False), (30, True)])
def test_claim_counts_if_received_before_the_end(before_ms: int, *, counts: bool) -> None:
    driver = almost_over()
    answer = driver.claim("ann", driver.sets[0], received_ms=end_ms(driver) - before_ms)
    if counts:
        assert answer.body["valid"]
        assert [received.op_code for received in driver.received[-2:]] == [
            OpCode.CLAIM_RESULT,
            OpCode.MATCH_ENDED,
        ]
        assert driver.bodies(OpCode.MATCH_ENDED)[0]["winnerSeat"] == 0
    else:
        assert driver.received[-1].body["reason"] == "CLAIM_REASON_MATCH_OVER"
        assert driver.bodies(OpCode.MATCH_ENDED)[0]["standings"][0]["player"]["score"] == 0
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["durationMs"] == LIMIT_MS


def test_claim_in_time_is_judged_before_a_late_claim() -> None:
    driver = almost_over()
    cards = driver.sets[0]
    driver.loop(
        claim("ann", cards, received_ms=end_ms(driver)), claim("bob", cards, received_ms=end_ms(driver) - 1)
    )
    assert [received.op_code for received in driver.received[-3:]] == [
        OpCode.CLAIM_RESULT,
        OpCode.MATCH_ENDED,
        OpCode.CLAIM_REJECTED,
    ]
    assert driver.received[-1].audience == ("ann-1",)
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["winnerSeat"] == 1


def test_claims_in_time_keep_the_order_of_their_tick() -> None:
    driver = almost_over()
    cards = driver.sets[0]
    in_time = end_ms(driver) - 1
    driver.loop(claim("bob", cards, received_ms=in_time - 9), claim("ann", cards, received_ms=in_time))
    assert [(message["userId"], message["valid"]) for message in driver.bodies(OpCode.CLAIM_RESULT)] == [
        ("ann", True),
        ("bob", False),
    ]


def test_penalty_in_the_last_tick_ends_the_game_in_time() -> None:
    driver = almost_over(penalty="TIME")
    driver.claim("ann", driver.not_a_set, received_ms=end_ms(driver) - 1)
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    assert ended["reason"] == "END_REASON_CLOCK_PENALTY"
    assert ended["durationMs"] == LIMIT_MS - 1


def test_clocks_in_messages_are_never_negative() -> None:
    driver = almost_over()
    driver.loop(sync("ann"), after_ms=1000)
    snapshot = driver.received[-1].body
    assert snapshot["timeRemainingMs"] == 0
    assert {player["timeRemainingMs"] for player in snapshot["players"]} == {0}


def test_untimed_game_has_no_clock() -> None:
    driver = started()
    snapshot = driver.snapshot("ann")
    assert "timeRemainingMs" not in snapshot
    assert all("timeRemainingMs" not in player for player in snapshot["players"])
    assert driver.wake_ms == IDLE_MS, "only the idle limit is left"


def test_call_with_an_earlier_time_uses_the_latest_time() -> None:
    """A join may arrive at 1500 ms while claims of 1400 ms wait; the game is already at 1500 ms."""
    driver = timed()
    driver.now_ms += 1000
    driver.join("sue")
    latest_ms = driver.now_ms
    body = driver.send(claim("ann", driver.sets[0]), after_ms=-500).body
    assert body["lockedUntilMs"] == latest_ms + 700
    assert driver.lines[-1]["atMs"] == latest_ms
    assert driver.snapshot("bob")["nowMs"] == latest_ms


def with_lost_players(*away: str, window: int = 30) -> MatchDriver:
    """Return a match of three whose next tick, 50 ms later, is 20 ms after the window of the lost players."""
    driver = started({"maxPlayers": 3, "reconnectWindowSeconds": window}, "ann", "bob", "cat")
    driver.disconnect(*away)
    driver.wait(window * 1000 - 30)
    return driver


def test_claim_before_the_last_opponent_forfeits_counts() -> None:
    driver = with_lost_players("bob", "cat")
    out_ms = driver.now_ms + 30
    driver.loop(claim("ann", driver.sets[0], received_ms=out_ms - 1))
    assert driver.bodies(OpCode.CLAIM_RESULT)[0]["valid"]
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_LAST_PLAYER_STANDING"


def test_claim_after_the_last_opponent_forfeits_is_too_late() -> None:
    driver = with_lost_players("bob", "cat")
    out_ms = driver.now_ms + 30
    driver.loop(claim("ann", driver.sets[0], received_ms=out_ms))
    assert driver.bodies(OpCode.CLAIM_RESULT) == []
    assert driver.received[-1].body["reason"] == "CLAIM_REASON_MATCH_OVER"


def test_window_that_ends_no_game_does_not_split_a_tick() -> None:
    """Otherwise bob's claim would be first although ann's id is lower (D1)."""
    driver = with_lost_players("cat")
    out_ms, cards = driver.now_ms + 30, driver.sets[0]
    driver.loop(claim("ann", cards, received_ms=out_ms + 5), claim("bob", cards, received_ms=out_ms - 5))
    results = [(result["userId"], result["valid"]) for result in driver.bodies(OpCode.CLAIM_RESULT)]
    assert results == [("ann", True), ("bob", False)]


BETWEEN_TICKS: dict[str, Callable[[MatchDriver], object]] = {
    "join attempt": lambda driver: driver.attempt("eve"),
    "spectator joins": lambda driver: driver.join("eve"),
    "snapshot signal": lambda driver: driver.signal("snapshot"),
}


@pytest.mark.parametrize("name", BETWEEN_TICKS)
def test_call_between_ticks_does_not_reject_claims_in_time(name: str) -> None:
    """Nakama forwards joins and signals immediately, but inputs only with the next tick (E57)."""
    driver = started({"timeLimitSeconds": LIMIT_MS // 1000})
    driver.join("sue")
    driver.wait(end_ms(driver) - 30 - driver.now_ms)
    driver.now_ms = end_ms(driver) + 5
    BETWEEN_TICKS[name](driver)
    driver.loop(claim("ann", driver.sets[0], received_ms=end_ms(driver) - 1), after_ms=15)
    assert [message["valid"] for message in driver.bodies(OpCode.CLAIM_RESULT)] == [True]
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    assert (ended["reason"], ended["durationMs"]) == ("END_REASON_TIME_UP", LIMIT_MS)


def test_expired_clock_is_processed_before_a_leave() -> None:
    driver = almost_over()
    driver.now_ms = end_ms(driver) + 5
    driver.leave("bob")
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_TIME_UP"
