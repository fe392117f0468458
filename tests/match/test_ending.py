"""Ends that come from outside: MatchTerminate, MatchSignal (DESIGN sections 6 and 7), the longest match."""

import pytest

from match_handler.match.context import DAY_MS
from match_handler.match.timing import LAST_MS
from match_handler.protocol.payloads import OpCode
from tests.match.driver import TableDriver, play_to_the_end, started
from tests.match.said import rematch


def test_terminate_tells_the_players_and_persists() -> None:
    table = started()
    table.award("ann")
    (told,) = table.terminate()
    assert told.op_code is OpCode.MATCH_ENDED
    assert told.audience is None
    assert told.body["reason"] == "END_REASON_TERMINATED"
    assert "winnerSeat" not in told.body
    assert not told.body["draw"]
    assert told.body["standings"][0]["player"]["score"] == 1
    assert table.ended
    assert list(table.records) == [told.body["recordKey"]]


def test_terminate_before_the_start_has_nothing_to_persist() -> None:
    table = TableDriver()
    table.join("ann")
    (told,) = table.terminate()
    assert told.body["reason"] == "END_REASON_TERMINATED"
    assert told.body["recordKey"] == ""
    assert table.ended
    assert table.effects == []


def test_terminate_after_the_end_persists_nothing_twice() -> None:
    table = started()
    play_to_the_end(table)
    assert table.terminate() == []
    assert table.ended
    assert len(table.records) == 1


def test_terminate_twice_is_terminate_once() -> None:
    table = started()
    table.terminate()
    assert table.terminate() == []
    assert table.ended


def test_a_clock_that_ran_out_before_comes_first() -> None:
    table = started({"timeLimitSeconds": 10})
    table.now_ms += 60_000
    (told,) = table.terminate()
    assert told.body["reason"] == "END_REASON_TIME_UP"
    assert table.ended


def test_the_signal_close_ends_the_match() -> None:
    table = started()
    assert table.signal("close") == {"closed": True}
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_TERMINATED"
    assert table.ended
    assert table.signal("close") == {"closed": True}


def test_the_signal_snapshot_shows_what_a_spectator_sees() -> None:
    table = started()
    table.join("sue")
    assert table.signal("snapshot") == table.snapshot("sue")


def test_any_other_signal_is_answered_with_what_is_allowed() -> None:
    table = started()
    before = table.state
    answer = table.signal("explode" * 100)
    assert answer["error"].endswith("is not known; allowed: snapshot, close")
    assert len(answer["error"]) < 100
    assert table.state == before


def test_after_the_end_nobody_gets_in() -> None:
    table = started()
    table.terminate()
    assert table.attempt("ann", "again") == "match over"


def test_what_players_do_after_the_end_changes_nothing_in_its_results() -> None:
    table = started({"maxPlayers": 3, "timeLimitSeconds": 10}, "ann", "bob", "cat")
    table.lose("cat")
    table.wait(10_000)
    (ended,) = table.of(OpCode.MATCH_ENDED)
    table.loop(rematch("ann"))
    table.leave("bob")
    results = table.snapshot("ann")["results"]
    assert results == {name: value for name, value in ended.items() if name != "seq"}
    assert [line["player"]["status"] for line in results["standings"]] == [
        "PLAYER_STATUS_CONNECTED",
        "PLAYER_STATUS_CONNECTED",
        "PLAYER_STATUS_DISCONNECTED",
    ]


@pytest.mark.parametrize("days", [24, 30, 10**9])
def test_a_match_ends_before_clients_could_no_longer_read_its_times(days: int) -> None:
    """They are int32, which the driver makes sure of for every message (E58)."""
    table = started(idle_ms=0)
    table.wait(LAST_MS - 51 - table.now_ms)
    assert table.claim("ann", table.sets[0]).body["valid"]
    table.wait(days * DAY_MS - table.now_ms)
    (ended,) = table.of(OpCode.MATCH_ENDED)
    assert ended["reason"] == "END_REASON_TERMINATED"
    assert ended["durationMs"] == LAST_MS - table.session.started_ms
    assert table.ended
