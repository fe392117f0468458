"""Order of events, inputs, bot claims and leaves within one call (decisions D1, D8, E57, E60, E70)."""

import pytest

from match_handler.match.admission import RESERVATION_MS
from match_handler.match.context import Presence
from match_handler.match.seating import Leave, LeaveReason
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, started
from tests.match.messages import claim, session_of, sync

WINDOW_MS = 30_000


def left(user: str, at_ms: int) -> Leave:
    return Leave(Presence(user, session_of(user), user), LeaveReason.LEFT, at_ms)


def test_human_claim_precedes_an_earlier_bot_claim() -> None:
    driver = started({"maxPlayers": 3, "bots": [{"level": "HARD"}]})
    bot = driver.match_state.seats[2]
    assert bot.bot_plan is not None
    due_ms, cards = bot.bot_plan.due_ms, driver.sets[0]
    driver.loop(claim("ann", cards, received_ms=due_ms + 15), after_ms=due_ms + 40 - driver.now_ms)
    first = driver.bodies(OpCode.CLAIM_RESULT)[0]
    assert (first["userId"], first["valid"]) == ("ann", True)


@pytest.mark.parametrize(("late_ms", "reason"), [(-10, "LAST_PLAYER_STANDING"), (1, "TIME_UP")])
def test_leave_counts_only_before_the_end_of_the_clock(late_ms: int, reason: str) -> None:
    driver = started({"timeLimitSeconds": 100})
    end_ms = driver.session.started_ms + 100_000
    driver.wait(end_ms - 20 - driver.now_ms)
    driver.now_ms = end_ms + 5
    driver.call(lambda match: match.loop([], [left("ann", end_ms + late_ms)]))
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == f"END_REASON_{reason}"


def test_inputs_of_a_player_precede_its_leave() -> None:
    driver = started()
    inputs = [driver.drained(claim("ann", driver.sets[0]))]
    driver.call(lambda match: match.loop(inputs, [left("ann", driver.now_ms - 30)]))
    assert [message.op_code for message in driver.received[-3:]] == [
        OpCode.CLAIM_RESULT,
        OpCode.PLAYER_CHANGED,
        OpCode.MATCH_ENDED,
    ]


def test_allowed_attempt_extends_the_window_until_the_join() -> None:
    driver = started()
    driver.disconnect("ann")
    driver.wait(WINDOW_MS - 10)
    assert driver.attempt("ann", "ann-2") is None
    driver.wait(500)
    assert driver.bodies(OpCode.MATCH_ENDED) == []
    driver.enter("ann", session="ann-2")
    assert driver.bodies(OpCode.PLAYER_CHANGED)[-1]["change"] == "PLAYER_CHANGE_RECONNECTED"
    driver.wait(60_000)
    assert driver.bodies(OpCode.MATCH_ENDED) == []


def test_attempt_without_join_extends_the_window_by_15_seconds() -> None:
    driver = started()
    driver.disconnect("ann")
    driver.wait(WINDOW_MS - 10)
    driver.attempt("ann", "ann-2")
    driver.wait(RESERVATION_MS - 1)
    assert driver.bodies(OpCode.MATCH_ENDED) == []
    driver.wait(1)
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_LAST_PLAYER_STANDING"


def test_attempt_after_the_window_does_not_reopen_it() -> None:
    driver = started()
    driver.disconnect("ann")
    driver.wait(WINDOW_MS)
    driver.join("ann", session="ann-2")
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_LAST_PLAYER_STANDING"


def test_join_in_the_closing_call_sends_no_snapshot() -> None:
    driver = MatchDriver()
    driver.attempt("ann")
    driver.wait(59_900)
    driver.now_ms += 200
    received = driver.enter("ann")
    driver.loop(sync("ann"))
    assert driver.bodies(OpCode.MATCH_ENDED)
    assert OpCode.SNAPSHOT not in {message.op_code for message in received}
