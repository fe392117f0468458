"""Private matches: invitation, fill time, ready check and kick (decision E68)."""

import pytest

from match_handler.match.starting import LONGEST_FILL_MS, PRIVATE_FILL_MS
from match_handler.protocol.payloads import OpCode
from set_core.option_errors import OptionsError
from tests.match.driver import TableDriver, started
from tests.match.said import extend, kick, ready

PRIVATE = {"private": True, "maxPlayers": 3, "minPlayers": 2}


def friends(*users: str) -> TableDriver:
    table = TableDriver(PRIVATE, creator="ann", expected=["ann"])
    table.join("ann")
    table.join(*users, invitation=table.invitation)
    return table


def reasons(table: TableDriver) -> list[str]:
    return [told["reason"] for told in table.of(OpCode.CLAIM_REJECTED)]


@pytest.mark.parametrize("given", [{}, {"invitation": ""}, {"invitation": "0" * 32}])
def test_a_join_needs_the_invitation(given: dict[str, str]) -> None:
    table = friends()
    assert table.attempt("bob", **given) == "invitation needed"
    assert table.attempt("bob", spectate="true", **given) == "invitation needed"
    assert table.attempt("bob", invitation=table.invitation) is None


def test_a_player_comes_back_without_the_invitation() -> None:
    table = friends("bob")
    table.lose("bob")
    assert table.attempt("bob", "bob-2") is None


def test_an_invitation_is_for_one_match_only() -> None:
    other = TableDriver(PRIVATE, match_secret=bytes(15) + b"x")
    assert friends().attempt("bob", invitation=other.invitation) == "invitation needed"


def test_a_private_match_is_offered_to_nobody() -> None:
    table = friends()
    assert (table.label["open"], table.label["key"]) == (0, "")
    assert table.reserve("bob") == "invitation needed"


def test_the_invitation_is_in_nothing_that_clients_receive() -> None:
    table = friends("bob", "cat")
    assert table.invitation
    assert not any(table.invitation.encode() in heard.data for heard in table.heard)


@pytest.mark.parametrize("mode", ["SINGLE_PLAYER", "PASS_AND_PLAY", "DAILY_CHALLENGE"])
def test_only_online_matches_can_be_private(mode: str) -> None:
    with pytest.raises(OptionsError, match="private is True: allowed in ONLINE only"):
        TableDriver({"mode": mode, "private": True, "localPlayers": ["A"] if "PASS" in mode else []})


def test_a_full_private_match_waits_until_all_are_ready() -> None:
    table = friends("bob", "cat")
    assert table.of(OpCode.MATCH_STARTED) == []
    table.loop(ready("ann"), ready("bob"))
    assert table.of(OpCode.MATCH_STARTED) == []
    table.loop(ready("cat"))
    assert len(table.of(OpCode.MATCH_STARTED)) == 1


def test_a_private_match_has_ten_minutes_to_fill() -> None:
    table = friends()
    assert table.snapshot("ann")["fillDeadlineMs"] == PRIVATE_FILL_MS
    table.wait(PRIVATE_FILL_MS - 1)
    assert not table.ended
    table.wait(1)
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_ABANDONED"
    assert table.ended, "an abandoned match offers no rematch"


def test_players_extend_the_fill_time_up_to_an_hour() -> None:
    table = friends()
    table.wait(PRIVATE_FILL_MS - 1000)
    table.loop(extend("ann"))
    assert table.of(OpCode.FILL_TIME)[-1]["fillDeadlineMs"] == table.now_ms + PRIVATE_FILL_MS
    while table.now_ms < LONGEST_FILL_MS - 60_000:
        table.loop(extend("ann"), after_ms=60_000)
    assert table.of(OpCode.FILL_TIME)[-1]["fillDeadlineMs"] == LONGEST_FILL_MS
    table.wait(LONGEST_FILL_MS - table.now_ms)
    assert table.ended


def test_after_the_start_there_is_no_fill_time() -> None:
    table = started()
    assert "fillDeadlineMs" not in table.snapshot("ann")
    table.loop(extend("ann"))
    assert reasons(table) == ["CLAIM_REASON_NOT_ALLOWED"]


def test_the_creator_kicks_a_user_for_good() -> None:
    table = friends("bob", "cat")
    table.loop(kick("ann", "bob"))
    assert table.of(OpCode.PLAYER_CHANGED)[-1]["change"] == "PLAYER_CHANGE_KICKED"
    assert table.kicks == ["bob-1"]
    assert [seat.username for seat in table.inside.seats] == ["ann", "cat"]
    assert table.attempt("bob", "bob-2", invitation=table.invitation) == "removed from this match"


@pytest.mark.parametrize(("sender", "out"), [("bob", "ann"), ("bob", "cat"), ("ann", "ann")])
def test_only_the_creator_kicks_and_only_others(sender: str, out: str) -> None:
    table = friends("bob", "cat")
    table.loop(kick(sender, out))
    assert reasons(table) == ["CLAIM_REASON_NOT_ALLOWED"]
    assert len(table.inside.seats) == 3


def test_nobody_is_kicked_during_a_game() -> None:
    table = friends("bob")
    table.loop(ready("ann"), ready("bob"))
    table.loop(kick("ann", "bob"))
    assert reasons(table) == ["CLAIM_REASON_NOT_ALLOWED"]


def test_a_kick_before_its_target_has_joined_keeps_it_out() -> None:
    table = friends()
    table.attempt("bob", invitation=table.invitation)
    table.loop(kick("ann", "bob"))
    table.enter("bob")
    assert table.kicks == ["bob-1"]
    assert [seat.username for seat in table.inside.seats] == ["ann"]


def test_a_kick_may_complete_the_ready_check() -> None:
    table = friends("bob", "cat")
    table.loop(ready("ann"), ready("bob"))
    table.loop(kick("ann", "cat"))
    assert len(table.of(OpCode.MATCH_STARTED)) == 1
