"""Reservations: one owner for seats (decision E68)."""

import pytest

from match_handler.match.admission import RESERVATION_MS
from match_handler.match.starting import FILL_MS
from tests.match.driver import TableDriver, started

NO_WATCHERS = {"allowSpectators": False}


def test_a_reserved_seat_cannot_be_taken_by_the_id_of_the_match() -> None:
    table = TableDriver(NO_WATCHERS)
    assert table.reserve("ann") is None
    table.join("bob")
    assert table.attempt("cat") == "match full"
    assert table.attempt("ann") is None


def test_where_others_may_watch_a_reserved_seat_stays_free() -> None:
    table = TableDriver()
    table.reserve("ann")
    table.join("bob", "cat")
    assert [seat.username for seat in table.inside.seats] == ["bob"]
    table.join("ann")
    assert [seat.username for seat in table.inside.seats] == ["bob", "ann"]


def test_a_reservation_is_never_extended() -> None:
    table = TableDriver(NO_WATCHERS)
    table.reserve("ann")
    table.wait(RESERVATION_MS - 1)
    assert table.reserve("ann") is None, "it still holds"
    table.wait(1)
    assert table.reserve("ann") == "an earlier reservation in this match was not used"
    assert table.reserve("bob", "cat") is None


def test_a_user_without_reservation_joins_a_free_seat_all_the_same() -> None:
    table = TableDriver()
    table.reserve("ann")
    table.wait(RESERVATION_MS)
    table.join("ann")
    assert [seat.username for seat in table.inside.seats] == ["ann"]


def test_all_users_of_a_call_get_a_seat_or_none() -> None:
    table = TableDriver({"maxPlayers": 3})
    table.join("ann")
    assert table.reserve("bob", "cat", "dan") == "match full"
    assert table.inside.reservations == []
    assert table.reserve("ann", "bob", "cat") is None


@pytest.mark.parametrize("wish", ["bob", "ann"])
def test_a_reservation_during_a_game_is_for_its_players_only(wish: str) -> None:
    table = started({"maxPlayers": 2}, "ann", "cat")
    assert table.reserve(wish) == (None if wish == "ann" else "match already started")


def test_a_spectator_gets_no_seat_in_the_match_it_watches() -> None:
    table = TableDriver()
    table.join("ann", spectate="true")
    assert table.reserve("ann") == "already watching this match"


def test_a_user_who_joins_to_watch_gives_the_reservation_up() -> None:
    table = TableDriver(NO_WATCHERS | {"allowSpectators": True})
    table.reserve("ann")
    table.join("ann", spectate="true")
    assert table.inside.reservations == []
    assert table.label["open"] == 1


def test_the_creator_s_seat_is_free_after_15_seconds_others_at_the_deadline() -> None:
    table = TableDriver({"maxPlayers": 3, **NO_WATCHERS}, expected=["ann", "bob"], creator="ann")
    table.wait(RESERVATION_MS)
    table.join("cat", "dan")
    assert table.attempt("eve") == "match full"
    assert table.attempt("bob") is None
    table.wait(FILL_MS - RESERVATION_MS)
    assert [seat.username for seat in table.inside.seats] == ["cat", "dan"]


def test_a_full_match_is_not_open_until_a_reservation_ends() -> None:
    table = TableDriver()
    table.reserve("ann", "bob")
    assert table.label["open"] == 0
    table.wait(RESERVATION_MS)
    assert table.label["open"] == 1


def test_a_match_that_is_over_reserves_nothing() -> None:
    table = started()
    table.leave("ann")
    assert table.reserve("cat") == "match over"
