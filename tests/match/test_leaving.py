"""Leaves, lost connections and reconnects (rules R33 to R35; D11; faults F5, F20, F21)."""

from typing import Any

import pytest

from match_handler.match.context import Presence
from match_handler.match.seating import Leave, LeaveReason
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, started

THREE = {"maxPlayers": 3}
WINDOW_MS = 30_000


def trio(**options: Any) -> MatchDriver:
    return started({**THREE, **options}, "ann", "bob", "cat")


def changes(driver: MatchDriver) -> list[tuple[str, str]]:
    return [
        (message["player"]["userId"], message["change"].removeprefix("PLAYER_CHANGE_"))
        for message in driver.bodies(OpCode.PLAYER_CHANGED)
        if message["change"] != "PLAYER_CHANGE_JOINED"
    ]


def end_of(driver: MatchDriver) -> dict[str, Any]:
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    return ended


def test_intended_leave_forfeits_immediately() -> None:
    driver = trio()
    (message,) = driver.leave("bob")
    assert message.body["change"] == "PLAYER_CHANGE_FORFEITED"
    assert message.body["player"]["status"] == "PLAYER_STATUS_FORFEITED"
    assert driver.claim("ann", driver.sets[0]).body["valid"], "the other players continue"


def test_lost_connection_opens_the_reconnect_window() -> None:
    driver = trio()
    lost_ms = driver.now_ms - 20
    (message,) = driver.disconnect("bob", left_ms=lost_ms)
    assert message.body["change"] == "PLAYER_CHANGE_DISCONNECTED"
    assert message.body["player"]["status"] == "PLAYER_STATUS_DISCONNECTED"
    assert message.body["player"]["reconnectDeadlineMs"] == lost_ms + WINDOW_MS
    assert driver.wake_ms == lost_ms + WINDOW_MS


def test_player_who_never_joined_counts_as_disconnected() -> None:
    driver = trio()
    driver.leave("bob", reason=LeaveReason.NEVER_JOINED)
    assert changes(driver) == [("bob", "DISCONNECTED")]


@pytest.mark.parametrize(("early_ms", "back"), [(1, True), (0, False), (-1, False)])
@pytest.mark.fault("F20")
def test_reconnect_window_excludes_its_end(early_ms: int, *, back: bool) -> None:
    driver = trio()
    driver.claim_set("bob")
    driver.disconnect("bob")
    driver.wait(WINDOW_MS - early_ms)
    received = driver.join("bob", session="new")
    snapshot = next(message.body for message in received if message.op_code is OpCode.SNAPSHOT)
    assert snapshot["yourSeats"] == [1]
    assert snapshot["players"][1]["score"] == 1
    expected = "PLAYER_STATUS_CONNECTED" if back else "PLAYER_STATUS_FORFEITED"
    assert snapshot["players"][1]["status"] == expected
    assert "reconnectDeadlineMs" not in snapshot["players"][1]
    answer = driver.claim("bob", driver.sets[0], session="new").body
    assert answer.get("valid", False) is back


def test_reconnect_closes_the_window() -> None:
    driver = trio()
    driver.disconnect("bob")
    driver.wait(WINDOW_MS - 1)
    driver.join("bob", session="new")
    driver.wait(60_000)
    assert changes(driver) == [("bob", "DISCONNECTED"), ("bob", "RECONNECTED")]
    assert driver.bodies(OpCode.MATCH_ENDED) == []


def test_each_disconnect_has_its_own_window() -> None:
    driver = trio()
    driver.disconnect("bob")
    driver.wait(20_000)
    driver.join("bob", session="second")
    driver.disconnect("bob", session="second")
    driver.wait(WINDOW_MS - 1)
    assert changes(driver)[-1] == ("bob", "DISCONNECTED")
    driver.wait(1)
    assert changes(driver)[-1] == ("bob", "FORFEITED")


def test_reconnect_window_can_be_disabled() -> None:
    driver = trio(reconnectWindowSeconds=0)
    driver.disconnect("bob")
    assert changes(driver) == [("bob", "FORFEITED")]


def test_length_of_the_window_is_an_option() -> None:
    driver = trio(reconnectWindowSeconds=5)
    driver.disconnect("bob")
    driver.wait(4_999)
    assert changes(driver) == [("bob", "DISCONNECTED")]
    driver.wait(1)
    assert changes(driver) == [("bob", "DISCONNECTED"), ("bob", "FORFEITED")]


def test_leave_reported_after_its_window_forfeits_immediately() -> None:
    driver = trio()
    driver.wait(40_000)
    driver.disconnect("bob", left_ms=driver.now_ms - WINDOW_MS)
    assert changes(driver) == [("bob", "DISCONNECTED"), ("bob", "FORFEITED")]


def test_window_that_ended_first_forfeits_first() -> None:
    """One call reports both leaves, because a slow call before it delayed them."""
    driver = started({"reconnectWindowSeconds": 1})
    driver.wait(5_000)
    leaves = [
        Leave(Presence("ann", "ann-1", "ann"), LeaveReason.DISCONNECTED, driver.now_ms - 1_500),
        Leave(Presence("bob", "bob-1", "bob"), LeaveReason.LEFT, driver.now_ms),
    ]
    driver.call(lambda match: match.loop([], leaves))
    assert end_of(driver)["winnerSeat"] == 1


def test_leave_time_is_never_in_the_future() -> None:
    driver = trio()
    driver.disconnect("bob", left_ms=driver.now_ms + 10**9)
    assert driver.wake_ms == driver.now_ms + WINDOW_MS


def test_last_player_wins_immediately_with_any_score() -> None:
    driver = started()
    driver.claim_set("ann")
    driver.leave("ann")
    ended = end_of(driver)
    assert ended["reason"] == "END_REASON_LAST_PLAYER_STANDING"
    assert ended["winnerSeat"] == 1
    forfeited = ended["standings"][1]["player"]
    assert (forfeited["userId"], forfeited["score"]) == ("ann", 1)


def test_last_player_wins_when_the_others_do_not_reconnect() -> None:
    driver = trio()
    driver.disconnect("ann", "bob")
    driver.wait(WINDOW_MS)
    assert changes(driver)[-2:] == [("ann", "FORFEITED"), ("bob", "FORFEITED")]
    assert end_of(driver)["winnerSeat"] == 2


def test_match_without_players_is_abandoned() -> None:
    driver = started()
    driver.claim_set("ann")
    driver.disconnect("ann", "bob")
    driver.wait(WINDOW_MS)
    ended = end_of(driver)
    assert ended["reason"] == "END_REASON_ABANDONED"
    assert "winnerSeat" not in ended
    assert not ended["draw"]
    assert driver.ended, "no player is left for a rematch"
    assert len(driver.records) == 1


@pytest.mark.fault("F5")
def test_spectators_do_not_keep_an_abandoned_match_open() -> None:
    """F5."""
    driver = started()
    driver.join("sue")
    driver.disconnect("ann", "bob")
    driver.wait(WINDOW_MS)
    assert end_of(driver)["reason"] == "END_REASON_ABANDONED"
    assert driver.ended


def test_player_lost_last_wins_when_both_windows_expire() -> None:
    driver = started()
    driver.disconnect("ann")
    driver.wait(1)
    driver.disconnect("bob")
    driver.wait(WINDOW_MS)
    ended = end_of(driver)
    assert (ended["reason"], ended["winnerSeat"]) == ("END_REASON_LAST_PLAYER_STANDING", 1)
    assert driver.ended


def test_forfeit_counts_once() -> None:
    driver = trio()
    driver.leave("bob")
    driver.join("bob", session="back")
    driver.leave("bob", session="back")
    driver.join("bob", session="again")
    driver.disconnect("bob", session="again")
    assert [change for user, change in changes(driver) if change == "FORFEITED"] == ["FORFEITED"]
    assert driver.bodies(OpCode.MATCH_ENDED) == []


def test_forfeited_player_may_rejoin_as_spectator() -> None:
    driver = trio()
    driver.leave("bob")
    received = driver.join("bob", session="back")
    assert received[0].body["players"][1]["status"] == "PLAYER_STATUS_FORFEITED"
    assert driver.claim("bob", driver.sets[0], session="back").body["reason"] == "CLAIM_REASON_FORFEITED"


def test_claims_before_a_disconnect_still_count() -> None:
    driver = trio()
    driver.claim_set("bob")
    driver.disconnect("bob")
    driver.wait(WINDOW_MS)
    assert driver.snapshot("ann")["players"][1]["score"] == 1


def test_leave_before_the_start_frees_the_seat_and_shifts_others() -> None:
    driver = MatchDriver(THREE)
    driver.join("ann", "bob")
    received = driver.leave("ann")
    assert [message.op_code for message in received] == [OpCode.PLAYER_CHANGED, OpCode.SNAPSHOT]
    assert received[0].body["change"] == "PLAYER_CHANGE_FORFEITED"
    assert received[1].audience == ("bob-1",)
    assert received[1].body["yourSeats"] == [0]
    assert [player["userId"] for player in received[1].body["players"]] == ["bob"]


def test_player_lost_before_the_start_keeps_the_seat() -> None:
    driver = MatchDriver()
    driver.join("ann")
    driver.disconnect("ann")
    assert driver.match_state.seats[0].reconnect_deadline_ms == WINDOW_MS
    driver.wait(WINDOW_MS - 1)
    driver.join("ann", session="back")
    driver.join("bob")
    assert driver.bodies(OpCode.MATCH_STARTED)


def test_seat_of_a_player_lost_before_the_start_expires() -> None:
    driver = MatchDriver({"allowSpectators": False})
    driver.join("ann")
    driver.disconnect("ann")
    driver.join("bob")
    assert driver.bodies(OpCode.MATCH_STARTED) == [], "ann is disconnected"
    assert driver.attempt("cat") == "match full"
    driver.wait(WINDOW_MS)
    assert changes(driver) == [("ann", "DISCONNECTED"), ("ann", "FORFEITED")]
    assert [seat.user_id for seat in driver.match_state.seats] == ["bob"]
    assert driver.attempt("cat") is None
