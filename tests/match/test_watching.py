"""Limits for spectators and for connections of one user (decision E59)."""

from match_handler.match.admission import MAX_CONNECTIONS_OF_A_USER, MAX_SPECTATORS
from tests.match.driver import MatchDriver, started

CROWD = [f"fan{number}" for number in range(MAX_SPECTATORS)]


def crowded() -> MatchDriver:
    driver = started()
    driver.join(*CROWD)
    return driver


def test_spectator_limit_applies_to_everyone_but_players() -> None:
    driver = crowded()
    assert driver.attempt("one more") == "too many spectators"
    assert driver.attempt("one more", spectate="true") == "too many spectators"
    assert driver.attempt("ann", "another device") is None, "the limit does not apply to players"


def test_leave_of_a_spectator_makes_room() -> None:
    driver = crowded()
    driver.leave(CROWD[0])
    assert driver.attempt("one more") is None


def test_allowed_attempts_count_as_spectators() -> None:
    driver = started()
    driver.join(*CROWD[1:])
    assert driver.attempt("one more") is None
    assert driver.attempt("too late") == "too many spectators"


def test_spectators_take_no_seat_before_the_start() -> None:
    driver = MatchDriver()
    driver.join(*CROWD, spectate="true")
    driver.join("ann", "bob")
    assert driver.snapshot("bob")["yourSeats"] == [1]


def test_excess_connection_of_a_user_removes_the_oldest() -> None:
    driver = started()
    devices = [f"device {number}" for number in range(MAX_CONNECTIONS_OF_A_USER + 1)]
    for device in devices:
        driver.join("sue", session=device)
    assert driver.kicks == devices[:1]


def test_player_continues_on_the_newest_connection() -> None:
    driver = started()
    for number in range(MAX_CONNECTIONS_OF_A_USER):
        driver.join("ann", session=f"device {number}")
    (kicked,) = driver.kicks
    driver.leave("ann", session=kicked)
    newest = f"device {MAX_CONNECTIONS_OF_A_USER - 1}"
    assert driver.claim("ann", driver.sets[0], session=newest).body["valid"]
    assert not driver.ended


def test_spectators_with_one_connection_are_not_removed() -> None:
    driver = crowded()
    assert driver.kicks == []
