"""Several players on one connection (DESIGN sections 5, 6)."""

import pytest

from match_handler.match.seating import LeaveReason
from match_handler.protocol.payloads import OpCode
from tests.match.driver import TableDriver, started
from tests.match.said import hint

LOCAL = {"mode": "PASS_AND_PLAY", "localPlayers": ["Ann", "Bob", "Cat"]}


def local(**options: object) -> TableDriver:
    return started({**LOCAL, **options}, "host")


def test_the_host_holds_every_seat() -> None:
    table = local()
    (told,) = table.of(OpCode.MATCH_STARTED)
    assert [(player["username"], player["userId"]) for player in told["players"]] == [
        ("Ann", "host"),
        ("Bob", "host"),
        ("Cat", "host"),
    ]
    assert table.of(OpCode.SNAPSHOT)[0]["yourSeats"] == [0, 1, 2]
    assert (table.label["players"], table.label["seats"], table.label["open"]) == (1, 1, 0)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_claim_says_whose_it_is(seat: int) -> None:
    table = local()
    assert table.claim("host", table.sets[0], seat=seat).body["seat"] == seat
    assert [player.score for player in table.session.players] == [int(index == seat) for index in range(3)]


@pytest.mark.parametrize("seat", [None, 3, 7])
def test_a_claim_for_no_seat_or_another_s_is_refused(seat: int | None) -> None:
    table = local()
    assert table.claim("host", table.sets[0], seat=seat).body["reason"] == "CLAIM_REASON_WRONG_SEAT"


def test_an_invalid_claim_locks_one_player_only() -> None:
    table = local()
    table.claim("host", table.not_a_set, seat=0)
    assert table.claim("host", table.sets[0], seat=0).body["reason"] == "CLAIM_REASON_LOCKED"
    assert table.claim("host", table.sets[0], seat=1).body["valid"]


def test_a_claim_id_counts_per_seat() -> None:
    table = local()
    table.claim("host", table.not_a_set, "id", seat=0)
    assert table.claim("host", table.sets[0], "id", seat=1).body["valid"]


def test_the_host_s_leave_abandons_the_game() -> None:
    table = local()
    table.leave("host")
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_ABANDONED"
    assert table.ended


def test_the_host_comes_back_to_every_seat() -> None:
    table = local()
    table.award("host", seat=1)
    table.leave("host", reason=LeaveReason.DISCONNECTED)
    heard = table.join("host", session="new")
    assert heard[0].body["yourSeats"] == [0, 1, 2]
    assert [told.body["change"] for told in heard[1:]] == ["PLAYER_CHANGE_RECONNECTED"] * 3
    assert table.claim("host", table.sets[0], seat=2, session="new").body["valid"]


def test_nobody_else_gets_a_seat() -> None:
    table = TableDriver({**LOCAL, "allowSpectators": False})
    table.join("host")
    assert table.attempt("eve") == "match already started"


def test_a_lonely_host_s_seats_are_free_after_the_window() -> None:
    table = TableDriver({**LOCAL, "allowSpectators": False})
    assert table.attempt("host") is None
    assert table.attempt("eve") == "match full"


def test_no_hints_here() -> None:
    assert local().say(hint("host")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_bots_may_play_along() -> None:
    table = started({**LOCAL, "bots": [{"level": "HARD"}]}, "host")
    assert [player["bot"] for player in table.of(OpCode.MATCH_STARTED)[0]["players"]] == [False] * 3 + [True]
    table.wait(5_000)
    assert table.of(OpCode.CLAIM_RESULT)[0]["seat"] == 3


def test_wins_among_friends_are_in_no_leaderboard() -> None:
    table = local()
    for turn in range(81):
        if table.session.end_reason:
            break
        table.award("host", seat=turn % 3)
    assert len(table.effects) == 1
