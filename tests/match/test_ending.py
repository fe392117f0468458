"""Ends by command: MatchTerminate, MatchSignal (DESIGN sections 6 and 7), and the longest match."""

import pytest

from match_handler.match.context import DAY_MS
from match_handler.match.timing import LAST_MS
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, play_to_the_end, started
from tests.match.messages import rematch


def test_terminate_notifies_players_and_stores_the_record() -> None:
    driver = started()
    driver.claim_set("ann")
    (message,) = driver.terminate()
    assert message.op_code is OpCode.MATCH_ENDED
    assert message.audience is None
    assert message.body["reason"] == "END_REASON_TERMINATED"
    assert "winnerSeat" not in message.body
    assert not message.body["draw"]
    assert message.body["standings"][0]["player"]["score"] == 1
    assert driver.ended
    assert list(driver.records) == [message.body["recordKey"]]


def test_terminate_before_the_start_stores_nothing() -> None:
    driver = MatchDriver()
    driver.join("ann")
    (message,) = driver.terminate()
    assert message.body["reason"] == "END_REASON_TERMINATED"
    assert message.body["recordKey"] == ""
    assert driver.ended
    assert driver.effects == []


def test_terminate_after_the_end_stores_nothing_again() -> None:
    driver = started()
    play_to_the_end(driver)
    assert driver.terminate() == []
    assert driver.ended
    assert len(driver.records) == 1


def test_second_terminate_has_no_effect() -> None:
    driver = started()
    driver.terminate()
    assert driver.terminate() == []
    assert driver.ended


def test_expired_clock_is_processed_before_terminate() -> None:
    driver = started({"timeLimitSeconds": 10})
    driver.now_ms += 60_000
    (message,) = driver.terminate()
    assert message.body["reason"] == "END_REASON_TIME_UP"
    assert driver.ended


def test_close_signal_ends_the_match() -> None:
    driver = started()
    assert driver.signal("close") == {"closed": True}
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_TERMINATED"
    assert driver.ended
    assert driver.signal("close") == {"closed": True}


def test_snapshot_signal_returns_the_view_of_a_spectator() -> None:
    driver = started()
    driver.join("sue")
    assert driver.signal("snapshot") == driver.snapshot("sue")


def test_unknown_signal_lists_the_allowed_ones() -> None:
    driver = started()
    before = driver.state
    answer = driver.signal("explode" * 100)
    assert answer["error"].endswith("is not known; allowed: snapshot, close")
    assert len(answer["error"]) < 100
    assert driver.state == before


def test_closed_match_rejects_joins() -> None:
    driver = started()
    driver.terminate()
    assert driver.attempt("ann", "again") == "match over"


def test_messages_after_the_end_do_not_change_the_results() -> None:
    driver = started({"maxPlayers": 3, "timeLimitSeconds": 10}, "ann", "bob", "cat")
    driver.disconnect("cat")
    driver.wait(10_000)
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    driver.loop(rematch("ann"))
    driver.leave("bob")
    results = driver.snapshot("ann")["results"]
    assert results == {name: value for name, value in ended.items() if name != "seq"}
    assert [line["player"]["status"] for line in results["standings"]] == [
        "PLAYER_STATUS_CONNECTED",
        "PLAYER_STATUS_CONNECTED",
        "PLAYER_STATUS_DISCONNECTED",
    ]


@pytest.mark.parametrize("days", [24, 30, 10**9])
def test_match_ends_before_its_times_exceed_int32(days: int) -> None:
    """The driver checks the range of every time in every message (E58)."""
    driver = started(idle_ms=0)
    driver.wait(LAST_MS - 51 - driver.now_ms)
    assert driver.claim("ann", driver.sets[0]).body["valid"]
    driver.now_ms = days * DAY_MS
    ended = driver.claim("bob", driver.sets[0]).body
    assert ended["reason"] == "END_REASON_TERMINATED"
    assert ended["durationMs"] == LAST_MS - driver.session.started_ms
    assert driver.received[-1].body["reason"] == "CLAIM_REASON_MATCH_OVER"
    assert driver.ended
