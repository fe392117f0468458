"""Start of the first game (DESIGN sections 5 and 7)."""

import pytest

from match_handler.match.match import IDLE_MS
from match_handler.match.starting import FILL_MS
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, started
from tests.match.messages import ready, sync

BIG = {"maxPlayers": 4, "minPlayers": 2}


def starts(driver: MatchDriver) -> int:
    return len(driver.bodies(OpCode.MATCH_STARTED))


def test_full_match_starts_immediately() -> None:
    driver = MatchDriver()
    driver.join("ann")
    assert starts(driver) == 0
    driver.join("bob")
    (message,) = driver.bodies(OpCode.MATCH_STARTED)
    assert message["game"] == 1
    assert len(message["slots"]) == 12
    assert message["cardsRemaining"] == 69
    assert [player["userId"] for player in message["players"]] == ["ann", "bob"]
    assert "yourSeats" not in message


def test_start_follows_the_snapshot_of_the_joined_player() -> None:
    driver = MatchDriver()
    driver.join("ann")
    assert [message.op_code for message in driver.join("bob")][:3] == [
        OpCode.SNAPSHOT,
        OpCode.PLAYER_CHANGED,
        OpCode.MATCH_STARTED,
    ]


def test_match_starts_when_all_players_are_ready() -> None:
    driver = MatchDriver(BIG)
    driver.join("ann", "bob", "cat")
    received = driver.loop(ready("ann"), ready("bob"))
    assert [message.body["change"] for message in received] == ["PLAYER_CHANGE_READY"] * 2
    assert received[0].body["player"]["ready"]
    driver.loop(ready("cat"))
    assert starts(driver) == 1
    assert not any(player["ready"] for player in driver.bodies(OpCode.MATCH_STARTED)[0]["players"])


@pytest.mark.fault("F16")
def test_ready_players_below_min_players_do_not_start() -> None:
    driver = MatchDriver(BIG)
    driver.join("ann")
    driver.loop(ready("ann"))
    assert starts(driver) == 0
    driver.join("bob")
    assert starts(driver) == 0, "bob is not ready"
    driver.loop(ready("bob"))
    assert starts(driver) == 1


def test_repeated_ready_is_broadcast_once() -> None:
    driver = MatchDriver(BIG)
    driver.join("ann", "bob")
    assert len(driver.loop(ready("ann"))) == 1
    assert driver.loop(ready("ann")) == []


def test_leave_of_the_only_player_not_ready_starts() -> None:
    driver = MatchDriver(BIG)
    driver.join("ann", "bob", "cat")
    driver.loop(ready("ann"), ready("cat"))
    driver.leave("bob")
    assert starts(driver) == 1
    assert [player["userId"] for player in driver.bodies(OpCode.MATCH_STARTED)[0]["players"]] == [
        "ann",
        "cat",
    ]


def test_lost_player_does_not_block_the_start_or_keep_a_seat() -> None:
    driver = MatchDriver(BIG)
    driver.join("ann", "bob", "cat")
    driver.disconnect("ann")
    driver.loop(ready("bob"), ready("cat"))
    assert [seat.user_id for seat in driver.match_state.seats] == ["bob", "cat"]
    assert starts(driver) == 1


def test_lost_ready_player_must_send_ready_again() -> None:
    driver = MatchDriver(BIG)
    driver.join("ann", "bob")
    driver.loop(ready("ann"))
    driver.disconnect("ann")
    driver.join("ann", session="back")
    driver.loop(ready("bob"))
    assert starts(driver) == 0


def test_ready_from_a_spectator_is_rejected() -> None:
    driver = MatchDriver(BIG)
    driver.join("sue", spectate="true")
    assert driver.send(ready("sue")).body["reason"] == "CLAIM_REASON_SPECTATOR"


def test_ready_in_a_game_is_not_allowed() -> None:
    driver = started()
    assert driver.send(ready("ann")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_fill_deadline_starts_with_enough_players() -> None:
    driver = MatchDriver(BIG)
    driver.join("ann", "bob")
    assert driver.wake_ms == FILL_MS == 60_000
    driver.wait(FILL_MS - 1)
    assert starts(driver) == 0
    driver.wait(1)
    assert starts(driver) == 1
    assert not driver.ended


def test_fill_deadline_with_too_few_players_ends_the_match() -> None:
    driver = MatchDriver(BIG)
    driver.join("ann")
    driver.wait(FILL_MS)
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    assert (ended["reason"], ended["standings"], ended["deck"]) == ("END_REASON_ABANDONED", [], [])
    assert driver.ended
    assert driver.effects == []


def test_match_without_joins_ends() -> None:
    driver = MatchDriver()
    driver.wait(FILL_MS)
    assert driver.ended
    assert driver.wake_ms is None


def test_fill_deadline_frees_the_seat_of_a_lost_player() -> None:
    driver = MatchDriver({**BIG, "reconnectWindowSeconds": 300})
    driver.join("ann", "bob", "cat")
    driver.disconnect("bob")
    driver.wait(FILL_MS)
    assert [player["userId"] for player in driver.bodies(OpCode.MATCH_STARTED)[0]["players"]] == [
        "ann",
        "cat",
    ]


def test_started_game_has_no_fill_deadline() -> None:
    driver = started()
    driver.wait(FILL_MS * 2)
    assert not driver.ended
    assert driver.bodies(OpCode.MATCH_ENDED) == []


def test_match_with_one_seat_starts_with_one_player() -> None:
    driver = MatchDriver({"maxPlayers": 1})
    driver.join("ann")
    assert starts(driver) == 1
    driver.leave("ann")
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_ABANDONED"


def test_bots_count_as_players() -> None:
    driver = MatchDriver({"maxPlayers": 3, "minPlayers": 2, "bots": [{"level": "EASY"}]})
    driver.join("ann")
    driver.loop(ready("ann"))
    assert [player["bot"] for player in driver.bodies(OpCode.MATCH_STARTED)[0]["players"]] == [False, True]


def test_idle_match_needs_no_call() -> None:
    driver = started()
    before = driver.calls
    driver.wait(IDLE_MS - 1000)
    assert driver.calls == before


def test_match_without_messages_ends_after_the_idle_time() -> None:
    driver = started()
    driver.wait(IDLE_MS - 1000)
    driver.loop(sync("ann"))
    driver.wait(IDLE_MS - 1)
    assert not driver.ended
    driver.wait(1)
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_ABANDONED"
    assert driver.ended
