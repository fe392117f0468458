"""Private matches: invitation, fill time, ready check and kick (decision E68)."""

import pytest

from match_handler.match.starting import LONGEST_FILL_MS, PRIVATE_FILL_MS
from match_handler.protocol.payloads import OpCode
from set_core.option_errors import OptionsError
from tests.match.driver import MatchDriver, started
from tests.match.messages import extend, kick, ready

PRIVATE = {"private": True, "maxPlayers": 3, "minPlayers": 2}


def friends(*users: str) -> MatchDriver:
    driver = MatchDriver(PRIVATE, creator="ann", expected=["ann"])
    driver.join("ann")
    driver.join(*users, invitation=driver.invitation)
    return driver


def reasons(driver: MatchDriver) -> list[str]:
    return [message["reason"] for message in driver.bodies(OpCode.CLAIM_REJECTED)]


@pytest.mark.parametrize("given", [{}, {"invitation": ""}, {"invitation": "0" * 32}])
def test_join_needs_the_invitation(given: dict[str, str]) -> None:
    driver = friends()
    assert driver.attempt("bob", **given) == "invitation needed"
    assert driver.attempt("bob", spectate="true", **given) == "invitation needed"
    assert driver.attempt("bob", invitation=driver.invitation) is None


def test_player_rejoins_without_the_invitation() -> None:
    driver = friends("bob")
    driver.disconnect("bob")
    assert driver.attempt("bob", "bob-2") is None


def test_invitation_is_for_one_match_only() -> None:
    other = MatchDriver(PRIVATE, match_secret=bytes(15) + b"x")
    assert friends().attempt("bob", invitation=other.invitation) == "invitation needed"


def test_private_match_is_not_open() -> None:
    driver = friends()
    assert (driver.label["open"], driver.label["key"]) == (0, "")
    assert driver.reserve("bob") == "invitation needed"


def test_invitation_is_in_no_message_to_clients() -> None:
    driver = friends("bob", "cat")
    assert driver.invitation
    assert not any(driver.invitation.encode() in received.data for received in driver.received)


@pytest.mark.parametrize("mode", ["SINGLE_PLAYER", "PASS_AND_PLAY", "DAILY_CHALLENGE"])
def test_only_online_matches_can_be_private(mode: str) -> None:
    with pytest.raises(OptionsError, match="private is True: allowed in ONLINE only"):
        MatchDriver({"mode": mode, "private": True, "localPlayers": ["A"] if "PASS" in mode else []})


def test_full_private_match_waits_until_all_are_ready() -> None:
    driver = friends("bob", "cat")
    assert driver.bodies(OpCode.MATCH_STARTED) == []
    driver.loop(ready("ann"), ready("bob"))
    assert driver.bodies(OpCode.MATCH_STARTED) == []
    driver.loop(ready("cat"))
    assert len(driver.bodies(OpCode.MATCH_STARTED)) == 1


def test_private_match_has_a_fill_time_of_ten_minutes() -> None:
    driver = friends()
    assert driver.snapshot("ann")["fillDeadlineMs"] == PRIVATE_FILL_MS
    driver.wait(PRIVATE_FILL_MS - 1)
    assert not driver.ended
    driver.wait(1)
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_ABANDONED"
    assert driver.ended, "an abandoned match offers no rematch"


def test_players_extend_the_fill_time_up_to_an_hour() -> None:
    driver = friends()
    driver.wait(PRIVATE_FILL_MS - 1000)
    driver.loop(extend("ann"))
    assert driver.bodies(OpCode.FILL_TIME)[-1]["fillDeadlineMs"] == driver.now_ms + PRIVATE_FILL_MS
    while driver.now_ms < LONGEST_FILL_MS - 60_000:
        driver.loop(extend("ann"), after_ms=60_000)
    assert driver.bodies(OpCode.FILL_TIME)[-1]["fillDeadlineMs"] == LONGEST_FILL_MS
    driver.wait(LONGEST_FILL_MS - driver.now_ms)
    assert driver.ended


def test_fill_time_ends_with_the_start() -> None:
    driver = started()
    assert "fillDeadlineMs" not in driver.snapshot("ann")
    driver.loop(extend("ann"))
    assert reasons(driver) == ["CLAIM_REASON_NOT_ALLOWED"]


def test_creator_kicks_a_user_permanently() -> None:
    driver = friends("bob", "cat")
    driver.loop(kick("ann", "bob"))
    assert driver.bodies(OpCode.PLAYER_CHANGED)[-1]["change"] == "PLAYER_CHANGE_KICKED"
    assert driver.kicks == ["bob-1"]
    assert [seat.username for seat in driver.match_state.seats] == ["ann", "cat"]
    assert driver.attempt("bob", "bob-2", invitation=driver.invitation) == "removed from this match"


@pytest.mark.parametrize(("sender", "out"), [("bob", "ann"), ("bob", "cat"), ("ann", "ann")])
def test_only_the_creator_kicks_and_only_others(sender: str, out: str) -> None:
    driver = friends("bob", "cat")
    driver.loop(kick(sender, out))
    assert reasons(driver) == ["CLAIM_REASON_NOT_ALLOWED"]
    assert len(driver.match_state.seats) == 3


def test_kick_during_a_game_is_rejected() -> None:
    driver = friends("bob")
    driver.loop(ready("ann"), ready("bob"))
    driver.loop(kick("ann", "bob"))
    assert reasons(driver) == ["CLAIM_REASON_NOT_ALLOWED"]


def test_kick_before_a_join_prevents_the_join() -> None:
    driver = friends()
    driver.attempt("bob", invitation=driver.invitation)
    driver.loop(kick("ann", "bob"))
    driver.enter("bob")
    assert driver.kicks == ["bob-1"]
    assert [seat.username for seat in driver.match_state.seats] == ["ann"]


def test_kick_may_complete_the_ready_check() -> None:
    driver = friends("bob", "cat")
    driver.loop(ready("ann"), ready("bob"))
    driver.loop(kick("ann", "cat"))
    assert len(driver.bodies(OpCode.MATCH_STARTED)) == 1
