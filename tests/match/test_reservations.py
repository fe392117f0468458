"""Reservations: one user per reserved seat (decision E68)."""

import pytest

from match_handler.match.admission import RESERVATION_MS
from match_handler.match.starting import FILL_MS
from tests.match.driver import MatchDriver, started

NO_SPECTATORS = {"allowSpectators": False}


def test_reserved_seat_cannot_be_taken_with_the_match_id() -> None:
    driver = MatchDriver(NO_SPECTATORS)
    assert driver.reserve("ann") is None
    driver.join("bob")
    assert driver.attempt("cat") == "match full"
    assert driver.attempt("ann") is None


def test_reserved_seat_stays_free_when_others_become_spectators() -> None:
    driver = MatchDriver()
    driver.reserve("ann")
    driver.join("bob", "cat")
    assert [seat.username for seat in driver.match_state.seats] == ["bob"]
    driver.join("ann")
    assert [seat.username for seat in driver.match_state.seats] == ["bob", "ann"]


def test_reservation_is_never_extended() -> None:
    driver = MatchDriver(NO_SPECTATORS)
    driver.reserve("ann")
    driver.wait(RESERVATION_MS - 1)
    assert driver.reserve("ann") is None, "the reservation is still valid"
    driver.wait(1)
    assert driver.reserve("ann") == "an earlier reservation in this match was not used"
    assert driver.reserve("bob", "cat") is None


def test_user_without_reservation_joins_a_free_seat() -> None:
    driver = MatchDriver()
    driver.reserve("ann")
    driver.wait(RESERVATION_MS)
    driver.join("ann")
    assert [seat.username for seat in driver.match_state.seats] == ["ann"]


def test_all_users_of_a_call_get_a_seat_or_none() -> None:
    driver = MatchDriver({"maxPlayers": 3})
    driver.join("ann")
    assert driver.reserve("bob", "cat", "dan") == "match full"
    assert driver.match_state.reservations == []
    assert driver.reserve("ann", "bob", "cat") is None


@pytest.mark.parametrize("user", ["bob", "ann"])
def test_reservation_during_a_game_is_for_its_players_only(user: str) -> None:
    driver = started({"maxPlayers": 2}, "ann", "cat")
    assert driver.reserve(user) == (None if user == "ann" else "match already started")


def test_spectator_cannot_reserve_a_seat_in_the_same_match() -> None:
    driver = MatchDriver()
    driver.join("ann", spectate="true")
    assert driver.reserve("ann") == "already watching this match"


def test_user_who_joins_as_spectator_releases_the_reservation() -> None:
    driver = MatchDriver()
    driver.reserve("ann")
    driver.join("ann", spectate="true")
    assert driver.match_state.reservations == []
    assert driver.label["open"] == 1


def test_creator_seat_expires_after_15_s_others_at_the_deadline() -> None:
    driver = MatchDriver({"maxPlayers": 3, **NO_SPECTATORS}, expected=["ann", "bob"], creator="ann")
    driver.wait(RESERVATION_MS)
    driver.join("cat", "dan")
    assert driver.attempt("eve") == "match full"
    assert driver.attempt("bob") is None
    driver.wait(FILL_MS - RESERVATION_MS)
    assert [seat.username for seat in driver.match_state.seats] == ["cat", "dan"]


def test_full_match_is_not_open_until_a_reservation_ends() -> None:
    driver = MatchDriver()
    driver.reserve("ann", "bob")
    assert driver.label["open"] == 0
    driver.wait(RESERVATION_MS)
    assert driver.label["open"] == 1


def test_match_that_is_over_rejects_reservations() -> None:
    driver = started()
    driver.leave("ann")
    assert driver.reserve("cat") == "match over"
