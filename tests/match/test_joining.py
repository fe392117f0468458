"""Who gets in, to which seat, and who watches (DESIGN section 7; faults F19, F21; Nakama's overbooking)."""

from typing import Any

import pytest

from match_handler.match.seating import LeaveReason
from match_handler.protocol.payloads import OpCode
from set_core.option_errors import OptionsError
from tests.match.driver import TableDriver, play_to_the_end, started
from tests.match.said import session_of

NO_WATCHERS = {"allowSpectators": False}


def seated(table: TableDriver) -> list[str]:
    return [seat.username for seat in table.inside.seats]


def test_seats_are_in_the_order_of_joining() -> None:
    table = TableDriver({"maxPlayers": 3})
    assert table.attempt("ann") is None
    table.join("bob")
    table.enter("ann")
    table.join("cat")
    assert seated(table) == ["bob", "ann", "cat"]


def test_a_joiner_gets_a_snapshot_and_the_others_a_word() -> None:
    table = TableDriver({"maxPlayers": 3})
    table.join("ann")
    snapshot, joined = table.join("bob")
    assert (snapshot.op_code, snapshot.audience) == (OpCode.SNAPSHOT, ("bob-1",))
    assert snapshot.body["yourSeats"] == [1]
    assert snapshot.body["phase"] == "PHASE_WAITING"
    assert (snapshot.body["slots"], snapshot.body["cardsRemaining"]) == ([], 81)
    assert (joined.op_code, joined.audience) == (OpCode.PLAYER_CHANGED, None)
    assert joined.body["change"] == "PLAYER_CHANGE_JOINED"
    assert joined.body["player"]["userId"] == "bob"


def test_places_are_reserved_at_the_attempt() -> None:
    """Four attempts come before the first join; two seats, so two may sit."""
    table = TableDriver(NO_WATCHERS)
    answers = [table.attempt(user) for user in ("ann", "bob", "cat", "dan")]
    assert answers == [None, None, "match full", "match full"]
    table.enter("bob", "ann")
    assert seated(table) == ["bob", "ann"]


def test_a_reserved_place_is_free_again_when_the_join_never_comes() -> None:
    table = TableDriver(NO_WATCHERS)
    table.join("ann")
    table.attempt("bob")
    assert table.label["open"] == 0
    assert table.attempt("cat") == "match full"
    table.leave("bob", reason=LeaveReason.NEVER_JOINED)
    assert table.label["open"] == 1
    assert table.attempt("cat") is None


def test_a_reservation_ends_by_itself_after_15_seconds() -> None:
    table = TableDriver(NO_WATCHERS)
    table.join("ann")
    table.attempt("bob")
    table.wait(14_999)
    assert table.attempt("cat") == "match full"
    table.wait(1)
    assert table.label["open"] == 1
    assert table.attempt("cat") is None


def test_who_comes_after_their_reservation_ended_sits_if_there_is_room() -> None:
    table = TableDriver({"maxPlayers": 3, **NO_WATCHERS})
    table.attempt("ann")
    table.wait(15_000)
    table.join("bob")
    table.enter("ann")
    assert seated(table) == ["bob", "ann"]


def test_who_comes_too_late_and_may_not_watch_is_thrown_out() -> None:
    table = TableDriver(NO_WATCHERS)
    table.attempt("late")
    table.wait(15_000)
    table.join("ann", "bob")
    table.enter("late")
    assert table.kicks == ["late-1"]


def test_two_connections_of_one_user_hold_one_seat() -> None:
    table = TableDriver({"maxPlayers": 3})
    assert table.attempt("ann", "phone") is None
    assert table.attempt("ann", "tablet") is None
    table.enter("ann", session="phone")
    assert seated(table) == ["ann"], "the place kept for the tablet is not in the way"
    table.enter("ann", session="tablet")
    assert seated(table) == ["ann"]
    assert table.inside.seats[0].session_id == "tablet"


def test_one_user_s_two_attempts_take_one_place() -> None:
    table = TableDriver(NO_WATCHERS)
    table.attempt("ann", "phone")
    table.attempt("ann", "tablet")
    assert table.attempt("bob") is None


def test_joining_twice_on_one_connection_is_nothing_new() -> None:
    table = TableDriver({"maxPlayers": 3})
    table.join("ann")
    assert table.enter("ann") == []
    assert seated(table) == ["ann"]


@pytest.mark.parametrize("options", [{}, NO_WATCHERS])
def test_the_same_user_on_a_new_connection_takes_the_seat_over(options: dict[str, Any]) -> None:
    table = started(options)
    table.award("ann")
    heard = table.join("ann", session="tablet")
    assert [(told.op_code, told.audience) for told in heard] == [
        (OpCode.SNAPSHOT, ("tablet",)),
        (OpCode.SNAPSHOT, ("ann-1",)),
    ]
    assert [told.body["yourSeats"] for told in heard] == [[0], []]
    assert heard[0].body["players"][0]["score"] == 1
    assert table.claim("ann", table.sets[0]).body["reason"] == "CLAIM_REASON_SPECTATOR"
    assert table.claim("ann", table.sets[0], session="tablet").body["valid"]


@pytest.mark.fault("F21")
def test_a_late_leave_of_the_old_connection_changes_nothing() -> None:
    """F21."""
    table = started()
    table.join("ann", session="tablet")
    for reason in LeaveReason:
        assert table.leave("ann", reason=reason) == []
    assert table.claim("ann", table.sets[0], session="tablet").body["valid"]


def test_a_full_table_refuses_if_nobody_may_watch() -> None:
    table = started(NO_WATCHERS)
    assert table.attempt("cat") == "match already started"
    play_to_the_end(table)
    assert table.attempt("cat") == "match over"
    assert table.attempt("ann", "tablet") is None, "who has a seat gets back to it"


def test_late_joiners_watch() -> None:
    """F19."""
    table = started()
    (snapshot,) = table.join("sue")
    assert snapshot.body["yourSeats"] == []
    assert len(snapshot.body["slots"]) == 12
    result = table.claim("ann", table.sets[0])
    assert result.audience is None, "spectators are told too"


def test_a_running_game_has_no_free_seat() -> None:
    table = started({"maxPlayers": 3}, "ann", "bob", "cat")
    table.leave("cat")
    table.join("dan")
    assert table.snapshot("dan")["yourSeats"] == []


@pytest.mark.parametrize("wish", ["true", "TRUE"])
def test_who_asks_to_watch_gets_no_seat(wish: str) -> None:
    table = TableDriver()
    table.join("sue", spectate=wish)
    table.join("ann", "bob")
    assert seated(table) == ["ann", "bob"]
    assert table.snapshot("sue")["yourSeats"] == []


def test_who_asks_to_watch_where_nobody_may_is_told_so() -> None:
    table = TableDriver(NO_WATCHERS)
    assert table.attempt("sue", spectate="true") == "spectators not allowed"
    assert table.attempt("sue", spectate="false") is None


@pytest.mark.parametrize("value", ["", "yes", "1", "tr\x00ue", "\u200btrue"])
def test_join_metadata_that_is_no_switch_is_refused(value: str) -> None:
    reason = TableDriver().attempt("sue", spectate=value)
    assert reason == f"metadata spectate is {value!a}: allowed are true and false"


def test_spectators_leave_without_a_word() -> None:
    table = started()
    table.join("sue")
    assert table.leave("sue") == []
    assert table.claim("ann", table.sets[0]).body["valid"]


def test_expected_users_have_their_seats() -> None:
    table = TableDriver({"maxPlayers": 2, **NO_WATCHERS}, expected=("ann", "bob"))
    assert table.label["open"] == 0
    assert table.attempt("eve") == "match full"
    table.join("bob", "ann")
    assert seated(table) == ["bob", "ann"]


def test_an_expected_user_whose_first_try_fails_is_still_expected() -> None:
    table = TableDriver({**NO_WATCHERS}, expected=("ann", "bob"))
    table.attempt("ann", "first")
    table.leave("ann", reason=LeaveReason.NEVER_JOINED, session="first")
    table.attempt("bob", "first")
    table.wait(20_000)
    assert table.attempt("eve") == "match full"
    table.join("ann", "bob")
    assert seated(table) == ["ann", "bob"]


def test_an_expected_user_who_only_watches_gives_the_seat_up() -> None:
    table = TableDriver(expected=("ann", "bob"))
    table.join("ann", spectate="true")
    table.join("eve", "bob")
    assert seated(table) == ["eve", "bob"]


def test_more_expected_users_than_seats_are_refused() -> None:
    with pytest.raises(OptionsError, match="maxPlayers is 2: 3 users are expected, only 2 can take a seat"):
        TableDriver(expected=("ann", "bob", "cat"))


def test_a_user_expected_twice_has_one_seat() -> None:
    table = TableDriver(expected=("ann", "ann"))
    table.join("ann", "bob")
    assert seated(table) == ["ann", "bob"]


def test_the_attempt_alone_tells_nobody_anything() -> None:
    table = TableDriver()
    table.attempt("ann")
    assert table.heard == []
    assert session_of("ann") not in {connection.session_id for connection in table.inside.connections}
