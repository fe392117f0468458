"""Several players on one connection (DESIGN sections 5, 6)."""

import pytest

from match_handler.match.seating import LeaveReason
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, started
from tests.match.messages import hint

LOCAL = {"mode": "PASS_AND_PLAY", "localPlayers": ["Ann", "Bob", "Cat"]}


def local(**options: object) -> MatchDriver:
    return started({**LOCAL, **options}, "host")


def test_connection_holds_every_local_seat() -> None:
    driver = local()
    (message,) = driver.bodies(OpCode.MATCH_STARTED)
    assert [(player["username"], player["userId"]) for player in message["players"]] == [
        ("Ann", "host"),
        ("Bob", "host"),
        ("Cat", "host"),
    ]
    assert driver.bodies(OpCode.SNAPSHOT)[0]["yourSeats"] == [0, 1, 2]
    assert (driver.label["players"], driver.label["seats"], driver.label["open"]) == (1, 1, 0)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_claim_counts_for_its_seat(seat: int) -> None:
    driver = local()
    assert driver.claim("host", driver.sets[0], seat=seat).body["seat"] == seat
    assert [player.score for player in driver.session.players] == [int(index == seat) for index in range(3)]


@pytest.mark.parametrize("seat", [None, 3, 7])
def test_claim_for_no_seat_or_a_foreign_seat_is_rejected(seat: int | None) -> None:
    driver = local()
    assert driver.claim("host", driver.sets[0], seat=seat).body["reason"] == "CLAIM_REASON_WRONG_SEAT"


def test_invalid_claim_locks_only_one_local_player() -> None:
    driver = local()
    driver.claim("host", driver.not_a_set, seat=0)
    assert driver.claim("host", driver.sets[0], seat=0).body["reason"] == "CLAIM_REASON_LOCKED"
    assert driver.claim("host", driver.sets[0], seat=1).body["valid"]


def test_claim_ids_are_separate_per_seat() -> None:
    driver = local()
    driver.claim("host", driver.not_a_set, "id", seat=0)
    assert driver.claim("host", driver.sets[0], "id", seat=1).body["valid"]


def test_leave_abandons_the_local_game() -> None:
    driver = local()
    driver.leave("host")
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_ABANDONED"
    assert driver.ended


def test_reconnect_returns_every_local_seat() -> None:
    driver = local()
    driver.claim_set("host", seat=1)
    driver.leave("host", reason=LeaveReason.DISCONNECTED)
    received = driver.join("host", session="new")
    assert received[0].body["yourSeats"] == [0, 1, 2]
    assert [message.body["change"] for message in received[1:]] == ["PLAYER_CHANGE_RECONNECTED"] * 3
    assert driver.claim("host", driver.sets[0], seat=2, session="new").body["valid"]


def test_other_users_get_no_seat() -> None:
    driver = MatchDriver({**LOCAL, "allowSpectators": False})
    driver.join("host")
    assert driver.attempt("eve") == "match already started"


def test_reserved_local_match_is_full() -> None:
    driver = MatchDriver({**LOCAL, "allowSpectators": False})
    assert driver.attempt("host") is None
    assert driver.attempt("eve") == "match full"


def test_hints_are_not_allowed() -> None:
    assert local().send(hint("host")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_bots_may_play_in_a_local_match() -> None:
    driver = started({**LOCAL, "bots": [{"level": "HARD"}]}, "host")
    assert [player["bot"] for player in driver.bodies(OpCode.MATCH_STARTED)[0]["players"]] == [False] * 3 + [
        True
    ]
    driver.wait(5_000)
    assert driver.bodies(OpCode.CLAIM_RESULT)[0]["seat"] == 3


def test_wins_of_local_players_are_in_no_leaderboard() -> None:
    driver = local()
    for turn in range(81):
        if driver.session.end_reason:
            break
        driver.claim_set("host", seat=turn % 3)
    assert len(driver.effects) == 1
