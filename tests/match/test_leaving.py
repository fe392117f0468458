"""Who goes, and who comes back in time (rules, "Disconnects and forfeits"; D11; faults F5, F20, F21)."""

from typing import Any

import pytest

from match_handler.match.context import Presence
from match_handler.match.seating import Leave, LeaveReason
from match_handler.protocol.payloads import OpCode
from tests.match.driver import TableDriver, started

THREE = {"maxPlayers": 3}
WINDOW_MS = 30_000


def trio(**options: Any) -> TableDriver:
    return started({**THREE, **options}, "ann", "bob", "cat")


def changes(table: TableDriver) -> list[tuple[str, str]]:
    return [
        (told["player"]["userId"], told["change"].removeprefix("PLAYER_CHANGE_"))
        for told in table.of(OpCode.PLAYER_CHANGED)
        if told["change"] != "PLAYER_CHANGE_JOINED"
    ]


def end_of(table: TableDriver) -> dict[str, Any]:
    (ended,) = table.of(OpCode.MATCH_ENDED)
    return ended


def test_leaving_on_purpose_forfeits_at_once() -> None:
    table = trio()
    (told,) = table.leave("bob")
    assert told.body["change"] == "PLAYER_CHANGE_FORFEITED"
    assert told.body["player"]["status"] == "PLAYER_STATUS_FORFEITED"
    assert table.claim("ann", table.sets[0]).body["valid"], "the others play on"


def test_a_lost_connection_opens_the_window() -> None:
    table = trio()
    lost_ms = table.now_ms - 20
    (told,) = table.lose("bob", left_ms=lost_ms)
    assert told.body["change"] == "PLAYER_CHANGE_DISCONNECTED"
    assert told.body["player"]["status"] == "PLAYER_STATUS_DISCONNECTED"
    assert told.body["player"]["reconnectDeadlineMs"] == lost_ms + WINDOW_MS
    assert table.wake_ms == lost_ms + WINDOW_MS


def test_a_user_who_never_came_is_taken_for_lost_in_a_game() -> None:
    table = trio()
    table.leave("bob", reason=LeaveReason.NEVER_JOINED)
    assert changes(table) == [("bob", "DISCONNECTED")]


@pytest.mark.parametrize(("early_ms", "back"), [(1, True), (0, False), (-1, False)])
@pytest.mark.fault("F20")
def test_the_window_is_open_before_its_very_end_only(early_ms: int, *, back: bool) -> None:
    table = trio()
    table.award("bob")
    table.lose("bob")
    table.wait(WINDOW_MS - early_ms)
    heard = table.join("bob", session="new")
    snapshot = next(told.body for told in heard if told.op_code is OpCode.SNAPSHOT)
    assert snapshot["yourSeats"] == [1]
    assert snapshot["players"][1]["score"] == 1
    expected = "PLAYER_STATUS_CONNECTED" if back else "PLAYER_STATUS_FORFEITED"
    assert snapshot["players"][1]["status"] == expected
    assert "reconnectDeadlineMs" not in snapshot["players"][1]
    answer = table.claim("bob", table.sets[0], session="new").body
    assert answer.get("valid", False) is back


def test_coming_back_closes_the_window_for_good() -> None:
    table = trio()
    table.lose("bob")
    table.wait(WINDOW_MS - 1)
    table.join("bob", session="new")
    table.wait(60_000)
    assert changes(table) == [("bob", "DISCONNECTED"), ("bob", "RECONNECTED")]
    assert table.of(OpCode.MATCH_ENDED) == []


def test_each_loss_has_a_window_of_its_own() -> None:
    table = trio()
    table.lose("bob")
    table.wait(20_000)
    table.join("bob", session="second")
    table.lose("bob", session="second")
    table.wait(WINDOW_MS - 1)
    assert changes(table)[-1] == ("bob", "DISCONNECTED")
    table.wait(1)
    assert changes(table)[-1] == ("bob", "FORFEITED")


def test_the_window_can_be_closed_altogether() -> None:
    table = trio(reconnectWindowSeconds=0)
    table.lose("bob")
    assert changes(table) == [("bob", "FORFEITED")]


def test_the_length_of_the_window_is_an_option() -> None:
    table = trio(reconnectWindowSeconds=5)
    table.lose("bob")
    table.wait(4_999)
    assert changes(table) == [("bob", "DISCONNECTED")]
    table.wait(1)
    assert changes(table) == [("bob", "DISCONNECTED"), ("bob", "FORFEITED")]


def test_a_leave_told_after_its_window_forfeits_at_once() -> None:
    table = trio()
    table.wait(40_000)
    table.lose("bob", left_ms=table.now_ms - WINDOW_MS)
    assert changes(table) == [("bob", "DISCONNECTED"), ("bob", "FORFEITED")]


def test_whose_window_ended_before_another_left_is_out_first() -> None:
    """Both departures are told in one call, which a slow one before it held up."""
    table = started({"reconnectWindowSeconds": 1})
    table.wait(5_000)
    leaves = [
        Leave(Presence("ann", "ann-1", "ann"), LeaveReason.DISCONNECTED, table.now_ms - 1_500),
        Leave(Presence("bob", "bob-1", "bob"), LeaveReason.LEFT, table.now_ms),
    ]
    table.call(lambda match: match.loop([], leaves))
    assert end_of(table)["winnerSeat"] == 1


def test_a_leave_cannot_be_in_the_future() -> None:
    table = trio()
    table.lose("bob", left_ms=table.now_ms + 10**9)
    assert table.wake_ms == table.now_ms + WINDOW_MS


def test_the_last_player_wins_at_once_whatever_the_score() -> None:
    table = started()
    table.award("ann")
    table.leave("ann")
    ended = end_of(table)
    assert ended["reason"] == "END_REASON_LAST_PLAYER_STANDING"
    assert ended["winnerSeat"] == 1
    forfeited = ended["standings"][1]["player"]
    assert (forfeited["userId"], forfeited["score"]) == ("ann", 1)


def test_the_last_player_wins_when_the_others_do_not_come_back() -> None:
    table = trio()
    table.lose("ann", "bob")
    table.wait(WINDOW_MS)
    assert changes(table)[-2:] == [("ann", "FORFEITED"), ("bob", "FORFEITED")]
    assert end_of(table)["winnerSeat"] == 2


def test_nobody_left_at_all_is_abandoned() -> None:
    table = started()
    table.award("ann")
    table.lose("ann", "bob")
    table.wait(WINDOW_MS)
    ended = end_of(table)
    assert ended["reason"] == "END_REASON_ABANDONED"
    assert "winnerSeat" not in ended
    assert not ended["draw"]
    assert table.ended, "nobody can ask for a rematch"
    assert len(table.records) == 1


@pytest.mark.fault("F5")
def test_spectators_do_not_keep_an_abandoned_match_alive() -> None:
    """F5."""
    table = started()
    table.join("sue")
    table.lose("ann", "bob")
    table.wait(WINDOW_MS)
    assert end_of(table)["reason"] == "END_REASON_ABANDONED"
    assert table.ended


def test_of_two_who_are_lost_the_later_wins_unless_both_are_out_at_once() -> None:
    table = started()
    table.lose("ann")
    table.wait(1)
    table.lose("bob")
    table.wait(WINDOW_MS)
    ended = end_of(table)
    assert (ended["reason"], ended["winnerSeat"]) == ("END_REASON_LAST_PLAYER_STANDING", 1)
    assert table.ended


def test_a_forfeit_counts_once() -> None:
    table = trio()
    table.leave("bob")
    table.join("bob", session="back")
    table.leave("bob", session="back")
    table.join("bob", session="again")
    table.lose("bob", session="again")
    assert [change for user, change in changes(table) if change == "FORFEITED"] == ["FORFEITED"]
    assert table.of(OpCode.MATCH_ENDED) == []


def test_who_has_forfeited_may_come_back_to_watch() -> None:
    table = trio()
    table.leave("bob")
    heard = table.join("bob", session="back")
    assert heard[0].body["players"][1]["status"] == "PLAYER_STATUS_FORFEITED"
    assert table.claim("bob", table.sets[0], session="back").body["reason"] == "CLAIM_REASON_FORFEITED"


def test_a_lost_player_s_claims_before_the_loss_still_count() -> None:
    table = trio()
    table.award("bob")
    table.lose("bob")
    table.wait(WINDOW_MS)
    assert table.snapshot("ann")["players"][1]["score"] == 1


def test_before_the_start_a_seat_is_given_back_and_later_ones_move_up() -> None:
    table = TableDriver(THREE)
    table.join("ann", "bob")
    heard = table.leave("ann")
    assert [told.op_code for told in heard] == [OpCode.PLAYER_CHANGED, OpCode.SNAPSHOT]
    assert heard[0].body["change"] == "PLAYER_CHANGE_FORFEITED"
    assert heard[1].audience == ("bob-1",)
    assert heard[1].body["yourSeats"] == [0]
    assert [player["userId"] for player in heard[1].body["players"]] == ["bob"]


def test_before_the_start_a_lost_player_keeps_the_seat_for_the_window() -> None:
    table = TableDriver()
    table.join("ann")
    table.lose("ann")
    assert table.inside.seats[0].reconnect_deadline_ms == WINDOW_MS
    table.wait(WINDOW_MS - 1)
    table.join("ann", session="back")
    table.join("bob")
    assert table.of(OpCode.MATCH_STARTED)


def test_before_the_start_a_lost_player_s_seat_is_free_after_the_window() -> None:
    table = TableDriver({"allowSpectators": False})
    table.join("ann")
    table.lose("ann")
    table.join("bob")
    assert table.of(OpCode.MATCH_STARTED) == [], "ann is away"
    assert table.attempt("cat") == "match full"
    table.wait(WINDOW_MS)
    assert changes(table) == [("ann", "DISCONNECTED"), ("ann", "FORFEITED")]
    assert [seat.user_id for seat in table.inside.seats] == ["bob"]
    assert table.attempt("cat") is None
