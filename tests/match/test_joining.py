"""Joins, seats and spectators (DESIGN section 7; faults F19, F21; overbooking by Nakama)."""

from typing import Any

import pytest

from match_handler.match.seating import LeaveReason
from match_handler.protocol.payloads import OpCode
from set_core.option_errors import OptionsError
from tests.match.driver import MatchDriver, play_to_the_end, started
from tests.match.messages import session_of

NO_SPECTATORS = {"allowSpectators": False}


def seated(driver: MatchDriver) -> list[str]:
    return [seat.username for seat in driver.match_state.seats]


def test_seats_follow_the_order_of_joins() -> None:
    driver = MatchDriver({"maxPlayers": 3})
    assert driver.attempt("ann") is None
    driver.join("bob")
    driver.enter("ann")
    driver.join("cat")
    assert seated(driver) == ["bob", "ann", "cat"]


def test_join_sends_a_snapshot_and_a_change_to_the_others() -> None:
    driver = MatchDriver({"maxPlayers": 3})
    driver.join("ann")
    snapshot, joined = driver.join("bob")
    assert (snapshot.op_code, snapshot.audience) == (OpCode.SNAPSHOT, ("bob-1",))
    assert snapshot.body["yourSeats"] == [1]
    assert snapshot.body["phase"] == "PHASE_WAITING"
    assert (snapshot.body["slots"], snapshot.body["cardsRemaining"]) == ([], 81)
    assert (joined.op_code, joined.audience) == (OpCode.PLAYER_CHANGED, None)
    assert joined.body["change"] == "PLAYER_CHANGE_JOINED"
    assert joined.body["player"]["userId"] == "bob"


def test_seats_are_reserved_at_the_attempt() -> None:
    """Four attempts precede the first join; two seats allow two of them."""
    driver = MatchDriver(NO_SPECTATORS)
    answers = [driver.attempt(user) for user in ("ann", "bob", "cat", "dan")]
    assert answers == [None, None, "match full", "match full"]
    driver.enter("bob", "ann")
    assert seated(driver) == ["bob", "ann"]


def test_reserved_seat_is_free_when_the_user_never_joins() -> None:
    driver = MatchDriver(NO_SPECTATORS)
    driver.join("ann")
    driver.attempt("bob")
    assert driver.label["open"] == 0
    assert driver.attempt("cat") == "match full"
    driver.leave("bob", reason=LeaveReason.NEVER_JOINED)
    assert driver.label["open"] == 1
    assert driver.attempt("cat") is None


def test_reservation_ends_after_15_seconds() -> None:
    driver = MatchDriver(NO_SPECTATORS)
    driver.join("ann")
    driver.attempt("bob")
    driver.wait(14_999)
    assert driver.attempt("cat") == "match full"
    driver.wait(1)
    assert driver.label["open"] == 1
    assert driver.attempt("cat") is None


def test_join_after_the_reservation_takes_a_free_seat() -> None:
    driver = MatchDriver({"maxPlayers": 3, **NO_SPECTATORS})
    driver.attempt("ann")
    driver.wait(15_000)
    driver.join("bob")
    driver.enter("ann")
    assert seated(driver) == ["bob", "ann"]


def test_late_join_without_seat_or_spectating_is_kicked() -> None:
    driver = MatchDriver(NO_SPECTATORS)
    driver.attempt("late")
    driver.wait(15_000)
    driver.join("ann", "bob")
    driver.enter("late")
    assert driver.kicks == ["late-1"]


def test_two_connections_of_one_user_hold_one_seat() -> None:
    driver = MatchDriver({"maxPlayers": 3})
    assert driver.attempt("ann", "phone") is None
    assert driver.attempt("ann", "tablet") is None
    driver.enter("ann", session="phone")
    assert seated(driver) == ["ann"], "the reservation for the tablet does not block the seat"
    driver.enter("ann", session="tablet")
    assert seated(driver) == ["ann"]
    assert driver.match_state.seats[0].session_id == "tablet"


def test_two_attempts_of_one_user_reserve_one_seat() -> None:
    driver = MatchDriver(NO_SPECTATORS)
    driver.attempt("ann", "phone")
    driver.attempt("ann", "tablet")
    assert driver.attempt("bob") is None


def test_repeated_join_on_one_connection_is_ignored() -> None:
    driver = MatchDriver({"maxPlayers": 3})
    driver.join("ann")
    assert driver.enter("ann") == []
    assert seated(driver) == ["ann"]


@pytest.mark.parametrize("options", [{}, NO_SPECTATORS])
def test_new_connection_of_a_user_takes_the_seat(options: dict[str, Any]) -> None:
    driver = started(options)
    driver.claim_set("ann")
    received = driver.join("ann", session="tablet")
    assert [(message.op_code, message.audience) for message in received] == [
        (OpCode.SNAPSHOT, ("tablet",)),
        (OpCode.SNAPSHOT, ("ann-1",)),
    ]
    assert [message.body["yourSeats"] for message in received] == [[0], []]
    assert received[0].body["players"][0]["score"] == 1
    assert driver.claim("ann", driver.sets[0]).body["reason"] == "CLAIM_REASON_SPECTATOR"
    assert driver.claim("ann", driver.sets[0], session="tablet").body["valid"]


@pytest.mark.fault("F21")
def test_late_leave_of_the_old_connection_is_ignored() -> None:
    """F21."""
    driver = started()
    driver.join("ann", session="tablet")
    for reason in LeaveReason:
        assert driver.leave("ann", reason=reason) == []
    assert driver.claim("ann", driver.sets[0], session="tablet").body["valid"]


def test_full_match_without_spectators_rejects_joins() -> None:
    driver = started(NO_SPECTATORS)
    assert driver.attempt("cat") == "match already started"
    play_to_the_end(driver)
    assert driver.attempt("cat") == "match over"
    assert driver.attempt("ann", "tablet") is None, "a player may rejoin the own seat"


def test_late_joiners_become_spectators() -> None:
    """F19."""
    driver = started()
    (snapshot,) = driver.join("sue")
    assert snapshot.body["yourSeats"] == []
    assert len(snapshot.body["slots"]) == 12
    result = driver.claim("ann", driver.sets[0])
    assert result.audience is None, "spectators receive it too"


def test_running_game_has_no_free_seat() -> None:
    driver = started({"maxPlayers": 3}, "ann", "bob", "cat")
    driver.leave("cat")
    driver.join("dan")
    assert driver.snapshot("dan")["yourSeats"] == []


@pytest.mark.parametrize("spectate", ["true", "TRUE"])
def test_spectate_request_gets_no_seat(spectate: str) -> None:
    driver = MatchDriver()
    driver.join("sue", spectate=spectate)
    driver.join("ann", "bob")
    assert seated(driver) == ["ann", "bob"]
    assert driver.snapshot("sue")["yourSeats"] == []


def test_spectate_request_is_rejected_without_spectators() -> None:
    driver = MatchDriver(NO_SPECTATORS)
    assert driver.attempt("sue", spectate="true") == "spectators not allowed"
    assert driver.attempt("sue", spectate="false") is None


@pytest.mark.parametrize("value", ["", "yes", "1", "tr\x00ue", "\u200btrue"])
def test_invalid_join_metadata_is_rejected(value: str) -> None:
    reason = MatchDriver().attempt("sue", spectate=value)
    assert reason == f"metadata spectate is {value!a}: allowed are true and false"


def test_spectator_leave_sends_no_message() -> None:
    driver = started()
    driver.join("sue")
    assert driver.leave("sue") == []
    assert driver.claim("ann", driver.sets[0]).body["valid"]


def test_expected_users_get_their_seats() -> None:
    driver = MatchDriver({"maxPlayers": 2, **NO_SPECTATORS}, expected=("ann", "bob"))
    assert driver.label["open"] == 0
    assert driver.attempt("eve") == "match full"
    driver.join("bob", "ann")
    assert seated(driver) == ["bob", "ann"]


def test_expected_user_keeps_the_seat_after_a_failed_join() -> None:
    driver = MatchDriver({**NO_SPECTATORS}, expected=("ann", "bob"))
    driver.attempt("ann", "first")
    driver.leave("ann", reason=LeaveReason.NEVER_JOINED, session="first")
    driver.attempt("bob", "first")
    driver.wait(20_000)
    assert driver.attempt("eve") == "match full"
    driver.join("ann", "bob")
    assert seated(driver) == ["ann", "bob"]


def test_expected_user_who_spectates_releases_the_seat() -> None:
    driver = MatchDriver(expected=("ann", "bob"))
    driver.join("ann", spectate="true")
    driver.join("eve", "bob")
    assert seated(driver) == ["eve", "bob"]


def test_more_expected_users_than_seats_are_rejected() -> None:
    with pytest.raises(OptionsError, match="maxPlayers is 2: 3 users are expected, only 2 can take a seat"):
        MatchDriver(expected=("ann", "bob", "cat"))


def test_user_expected_twice_has_one_seat() -> None:
    driver = MatchDriver(expected=("ann", "ann"))
    driver.join("ann", "bob")
    assert seated(driver) == ["ann", "bob"]


def test_attempt_alone_sends_no_message() -> None:
    driver = MatchDriver()
    driver.attempt("ann")
    assert driver.received == []
    assert session_of("ann") not in {connection.session_id for connection in driver.match_state.connections}
