"""When a table starts to play (DESIGN sections 5 and 7)."""

import pytest

from match_handler.match.match import IDLE_MS
from match_handler.match.starting import FILL_MS
from match_handler.protocol.payloads import OpCode
from tests.match.driver import TableDriver, started
from tests.match.said import ready, sync

BIG = {"maxPlayers": 4, "minPlayers": 2}


def starts(table: TableDriver) -> int:
    return len(table.of(OpCode.MATCH_STARTED))


def test_a_full_table_starts_at_once() -> None:
    table = TableDriver()
    table.join("ann")
    assert starts(table) == 0
    table.join("bob")
    (told,) = table.of(OpCode.MATCH_STARTED)
    assert told["game"] == 1
    assert len(told["slots"]) == 12
    assert told["cardsRemaining"] == 69
    assert [player["userId"] for player in told["players"]] == ["ann", "bob"]
    assert "yourSeats" not in told


def test_the_start_comes_after_the_joiner_s_snapshot() -> None:
    table = TableDriver()
    table.join("ann")
    assert [told.op_code for told in table.join("bob")][:3] == [
        OpCode.SNAPSHOT,
        OpCode.PLAYER_CHANGED,
        OpCode.MATCH_STARTED,
    ]


def test_everybody_ready_starts_a_table_that_is_not_full() -> None:
    table = TableDriver(BIG)
    table.join("ann", "bob", "cat")
    heard = table.loop(ready("ann"), ready("bob"))
    assert [told.body["change"] for told in heard] == ["PLAYER_CHANGE_READY"] * 2
    assert heard[0].body["player"]["ready"]
    table.loop(ready("cat"))
    assert starts(table) == 1
    assert not any(player["ready"] for player in table.of(OpCode.MATCH_STARTED)[0]["players"])


@pytest.mark.fault("F16")
def test_being_ready_is_not_enough_below_min_players() -> None:
    table = TableDriver(BIG)
    table.join("ann")
    table.loop(ready("ann"))
    assert starts(table) == 0
    table.join("bob")
    assert starts(table) == 0, "bob is not ready"
    table.loop(ready("bob"))
    assert starts(table) == 1


def test_ready_twice_is_told_once() -> None:
    table = TableDriver(BIG)
    table.join("ann", "bob")
    assert len(table.loop(ready("ann"))) == 1
    assert table.loop(ready("ann")) == []


def test_the_one_who_is_not_ready_leaves_and_the_rest_starts() -> None:
    table = TableDriver(BIG)
    table.join("ann", "bob", "cat")
    table.loop(ready("ann"), ready("cat"))
    table.leave("bob")
    assert starts(table) == 1
    assert [player["userId"] for player in table.of(OpCode.MATCH_STARTED)[0]["players"]] == ["ann", "cat"]


def test_who_is_lost_neither_holds_up_the_ready_nor_keeps_a_seat() -> None:
    table = TableDriver(BIG)
    table.join("ann", "bob", "cat")
    table.lose("ann")
    table.loop(ready("bob"), ready("cat"))
    assert [seat.user_id for seat in table.inside.seats] == ["bob", "cat"]
    assert starts(table) == 1


def test_a_ready_player_who_is_lost_must_say_so_again() -> None:
    table = TableDriver(BIG)
    table.join("ann", "bob")
    table.loop(ready("ann"))
    table.lose("ann")
    table.join("ann", session="back")
    table.loop(ready("bob"))
    assert starts(table) == 0


def test_spectators_have_no_say() -> None:
    table = TableDriver(BIG)
    table.join("sue", spectate="true")
    assert table.say(ready("sue")).body["reason"] == "CLAIM_REASON_SPECTATOR"


def test_ready_in_a_game_is_not_allowed() -> None:
    table = started()
    assert table.say(ready("ann")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_at_the_fill_deadline_enough_players_start() -> None:
    table = TableDriver(BIG)
    table.join("ann", "bob")
    assert table.wake_ms == FILL_MS == 60_000
    table.wait(FILL_MS - 1)
    assert starts(table) == 0
    table.wait(1)
    assert starts(table) == 1
    assert not table.ended


def test_at_the_fill_deadline_too_few_players_end_the_match() -> None:
    table = TableDriver(BIG)
    table.join("ann")
    table.wait(FILL_MS)
    (ended,) = table.of(OpCode.MATCH_ENDED)
    assert (ended["reason"], ended["standings"], ended["deck"]) == ("END_REASON_ABANDONED", [], [])
    assert table.ended
    assert table.effects == []


def test_a_table_that_nobody_comes_to_ends() -> None:
    table = TableDriver()
    table.wait(FILL_MS)
    assert table.ended
    assert table.wake_ms is None


def test_at_the_fill_deadline_who_is_away_gives_the_seat_back() -> None:
    table = TableDriver({**BIG, "reconnectWindowSeconds": 300})
    table.join("ann", "bob", "cat")
    table.lose("bob")
    table.wait(FILL_MS)
    assert [player["userId"] for player in table.of(OpCode.MATCH_STARTED)[0]["players"]] == ["ann", "cat"]


def test_a_game_that_starts_has_no_fill_deadline_any_more() -> None:
    table = started()
    table.wait(FILL_MS * 2)
    assert not table.ended
    assert table.of(OpCode.MATCH_ENDED) == []


def test_one_player_is_enough_where_one_seat_is_all() -> None:
    table = TableDriver({"maxPlayers": 1})
    table.join("ann")
    assert starts(table) == 1
    table.leave("ann")
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_ABANDONED"


def test_bots_count_as_players() -> None:
    table = TableDriver({"maxPlayers": 3, "minPlayers": 2, "bots": [{"level": "EASY"}]})
    table.join("ann")
    table.loop(ready("ann"))
    assert [player["bot"] for player in table.of(OpCode.MATCH_STARTED)[0]["players"]] == [False, True]


def test_an_idle_table_costs_no_call() -> None:
    table = started()
    before = table.calls
    table.wait(IDLE_MS - 1000)
    assert table.calls == before


def test_a_match_without_any_message_ends_after_the_idle_time() -> None:
    table = started()
    table.wait(IDLE_MS - 1000)
    table.loop(sync("ann"))
    table.wait(IDLE_MS - 1)
    assert not table.ended
    table.wait(1)
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_ABANDONED"
    assert table.ended
