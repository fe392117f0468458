"""How many may watch, and on how many devices one user may be in a match (E59)."""

from match_handler.match.watching import MAX_CONNECTIONS_OF_A_USER, MAX_SPECTATORS
from tests.match.driver import TableDriver, started

CROWD = [f"fan{number}" for number in range(MAX_SPECTATORS)]


def crowded() -> TableDriver:
    table = started()
    table.join(*CROWD)
    return table


def test_as_many_may_watch_as_are_let_in() -> None:
    table = crowded()
    assert table.attempt("one more") == "too many spectators"
    assert table.attempt("one more", spectate="true") == "too many spectators"
    assert table.attempt("ann", "another device") is None, "a player gets back in whoever watches"


def test_who_goes_makes_room() -> None:
    table = crowded()
    table.leave(CROWD[0])
    assert table.attempt("one more") is None


def test_those_who_are_let_in_and_have_not_come_count() -> None:
    table = started()
    table.join(*CROWD[1:])
    assert table.attempt("one more") is None
    assert table.attempt("too late") == "too many spectators"


def test_a_crowd_at_a_table_that_waits_takes_no_seat() -> None:
    table = TableDriver()
    table.join(*CROWD, spectate="true")
    table.join("ann", "bob")
    assert table.snapshot("bob")["yourSeats"] == [1]


def test_of_too_many_connections_of_one_user_the_oldest_goes() -> None:
    table = started()
    devices = [f"device {number}" for number in range(MAX_CONNECTIONS_OF_A_USER + 1)]
    for device in devices:
        table.join("sue", session=device)
    assert table.kicks == devices[:1]


def test_a_player_on_one_device_too_many_plays_on_with_the_newest() -> None:
    table = started()
    for number in range(MAX_CONNECTIONS_OF_A_USER):
        table.join("ann", session=f"device {number}")
    (gone,) = table.kicks
    table.leave("ann", session=gone)
    newest = f"device {MAX_CONNECTIONS_OF_A_USER - 1}"
    assert table.claim("ann", table.sets[0], session=newest).body["valid"]
    assert not table.ended


def test_the_others_of_a_user_are_left_alone() -> None:
    table = crowded()
    assert table.kicks == []
