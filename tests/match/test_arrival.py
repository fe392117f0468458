"""The option `claimOrder: ARRIVAL`: order and time of judgement (decision D14), responses to SYNC (E86)."""

from typing import Any

import pytest

from match_handler.match.context import Presence
from match_handler.match.rejections import RATE_LIMIT
from match_handler.match.seating import Leave, LeaveReason
from match_handler.match.snapshots import INTERVAL_MS
from match_handler.match.state import BotPlan, encode_state
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, started
from tests.match.messages import PlayerMessage, claim, hint, rejected, session_of, sync
from tests.match.records import record_of, replay


def on_arrival(*users: str, **options: Any) -> MatchDriver:
    return started({"claimOrder": "ARRIVAL", **options}, *users)


def judged(driver: MatchDriver) -> list[tuple[str, bool]]:
    return [(message["userId"], message["valid"]) for message in driver.bodies(OpCode.CLAIM_RESULT)]


def leave_at(driver: MatchDriver, user: str, at_ms: int, *messages: PlayerMessage) -> None:
    """Run a call with messages and a leave."""
    inputs = [driver.drained(message) for message in messages]
    leave = Leave(Presence(user, session_of(user), user), LeaveReason.LEFT, at_ms)
    driver.call(lambda match: match.loop(inputs, [leave]))


def plan_bot(driver: MatchDriver, seat: int, due_ms: int) -> None:
    """Let the bot claim the first Set at this time."""
    state = driver.match_state
    assert state.session is not None
    state.seats[seat].bot_plan = BotPlan(state.session.board_version, due_ms, driver.sets[0])
    driver.state = encode_state(state)


@pytest.mark.parametrize("apart_ms", [0, 1, 30])
@pytest.mark.parametrize("users", [("ann", "bob"), ("bob", "ann")])
def test_first_arrival_wins_and_the_second_costs_nothing(users: tuple[str, str], apart_ms: int) -> None:
    driver = on_arrival(penalty="POINT")
    first, second = users
    cards, at_ms = driver.sets[0], driver.now_ms + 5
    driver.loop(
        claim(first, cards, "1", received_ms=at_ms), claim(second, cards, "2", received_ms=at_ms + apart_ms)
    )
    assert judged(driver) == [(first, True)]
    assert driver.bodies(OpCode.CLAIM_REJECTED) == [rejected("LOCKED", "2")]
    assert sum(player.invalid_attempts for player in driver.session.players) == 0


def test_calls_of_one_tick_number_are_judged_one_by_one() -> None:
    driver = on_arrival()
    cards = driver.sets[0]
    for user in ("bob", "ann"):
        driver.now_ms += 1
        driver.loop_inputs([driver.drained(claim(user, cards, user, received_ms=driver.now_ms))])
    assert judged(driver) == [("bob", True)]
    assert driver.bodies(OpCode.CLAIM_REJECTED) == [rejected("LOCKED", "ann")]


def test_claim_is_judged_at_its_receive_time() -> None:
    driver = on_arrival()
    received_ms = driver.now_ms + 7
    driver.loop(claim("ann", driver.sets[0], received_ms=received_ms), after_ms=40)
    assert driver.bodies(OpCode.CLAIM_RESULT)[0]["lockedUntilMs"] == received_ms + 700
    assert [line["atMs"] for line in driver.lines] == [received_ms]


def test_receive_time_after_the_call_is_the_time_of_the_call() -> None:
    driver = on_arrival()
    driver.loop(claim("ann", driver.sets[0], received_ms=driver.now_ms + 1_000), after_ms=5)
    assert [line["atMs"] for line in driver.lines] == [driver.now_ms]


def test_claim_at_the_end_of_a_lock_in_the_same_call_is_judged() -> None:
    driver = on_arrival()
    at_ms = driver.now_ms
    driver.loop(
        claim("ann", driver.sets[0], "1", received_ms=at_ms),
        claim("bob", driver.stale, "2", received_ms=at_ms + 699),
        claim("bob", driver.stale, "3", received_ms=at_ms + 700),
        after_ms=800,
    )
    assert driver.bodies(OpCode.CLAIM_REJECTED) == [rejected("LOCKED", "2")]
    assert driver.bodies(OpCode.CLAIM_RESULT)[1]["claimId"] == "3"


def test_valid_claim_locks_other_local_players() -> None:
    options = {"mode": "PASS_AND_PLAY", "localPlayers": ["Ada", "Bob"]}
    driver = on_arrival("ann", **options)
    cards, at_ms = driver.sets[0], driver.now_ms
    driver.loop(
        claim("ann", cards, "1", seat=1, received_ms=at_ms),
        claim("ann", cards, "2", seat=0, received_ms=at_ms),
    )
    assert [message["seat"] for message in driver.bodies(OpCode.CLAIM_RESULT)] == [1]
    assert driver.bodies(OpCode.CLAIM_REJECTED) == [rejected("LOCKED", "2")]


@pytest.mark.parametrize(("early_ms", "counts"), [(1, True), (0, False)])
def test_claim_counts_if_received_before_the_end_of_the_clock(
    early_ms: int,
    counts: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    driver = on_arrival(timeLimitSeconds=100)
    end_ms = driver.session.started_ms + 100_000
    driver.wait(end_ms - 20 - driver.now_ms)
    driver.loop(claim("bob", driver.sets[0], received_ms=end_ms - early_ms), after_ms=45)
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    assert (ended["reason"], ended["durationMs"]) == ("END_REASON_TIME_UP", 100_000)
    assert ended.get("winnerSeat") == (1 if counts else None)
    assert replay(record_of(driver)) == [] if counts else judged(driver) == []


def test_expansion_is_before_a_claim_of_the_same_millisecond() -> None:
    driver = on_arrival()
    no_set = (0, 1, 3, 4, 9, 10, 12, 13, 27)
    spare = (60, 61, 62)
    rest = [card for card in range(81) if card not in no_set + spare + (28, 30, 31)]
    driver.set_deck((*no_set, *spare, 28, 30, 31, *rest))
    at_ms = driver.now_ms
    driver.loop(
        claim("ann", spare, "1", received_ms=at_ms),
        claim("bob", no_set[:3], "2", received_ms=at_ms + 700),
        claim("bob", no_set[:3], "3", received_ms=at_ms + 850),
        after_ms=900,
    )
    assert driver.bodies(OpCode.BOARD_EXPANDED)[0]["lockedUntilMs"] == at_ms + 850
    assert driver.bodies(OpCode.CLAIM_REJECTED) == [rejected("LOCKED", "2")]
    assert driver.bodies(OpCode.CLAIM_RESULT)[1]["claimId"] == "3"


@pytest.mark.parametrize(("before_ms", "winner"), [(1, "ann"), (0, "ann"), (-1, "")])
def test_bot_claims_at_its_due_time(before_ms: int, winner: str) -> None:
    """A person who claims in the same millisecond is first (rule R20)."""
    driver = on_arrival("ann", "bob", maxPlayers=3, bots=[{"level": "HARD"}])
    due_ms, cards = driver.now_ms + 100, driver.sets[0]
    plan_bot(driver, 2, due_ms)
    driver.loop(claim("ann", cards, received_ms=due_ms - before_ms), after_ms=120)
    assert judged(driver) == [(winner, True)]
    assert driver.lines[0]["atMs"] == min(due_ms, due_ms - before_ms)


def test_bots_claim_in_the_order_of_their_due_times() -> None:
    driver = on_arrival("ann", mode="SINGLE_PLAYER", bots=[{"level": "HARD"}, {"level": "HARD"}])
    plan_bot(driver, 1, driver.now_ms + 30)
    plan_bot(driver, 2, driver.now_ms + 20)
    driver.loop()
    assert [message["seat"] for message in driver.bodies(OpCode.CLAIM_RESULT)] == [2]


def test_leave_is_handled_at_its_time() -> None:
    driver = on_arrival()
    at_ms = driver.now_ms
    driver.now_ms += 40
    leave_at(driver, "ann", at_ms + 10, claim("bob", driver.sets[0], received_ms=at_ms + 20))
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_LAST_PLAYER_STANDING"
    assert driver.bodies(OpCode.CLAIM_REJECTED) == [rejected("MATCH_OVER", "claim")]


def test_messages_of_a_connection_precede_its_leave() -> None:
    driver = on_arrival()
    at_ms = driver.now_ms
    driver.now_ms += 40
    leave_at(driver, "ann", at_ms + 10, claim("ann", driver.sets[0], received_ms=at_ms + 20))
    assert judged(driver) == [("ann", True)]
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["winnerSeat"] == 1


def test_claims_that_waited_in_an_outage_are_judged_by_arrival() -> None:
    """All have the time at which the match clock stopped, so the first valid one locks the others."""
    driver = on_arrival()
    cards, at_ms = driver.sets[0], driver.now_ms
    messages = [
        claim("bob", driver.stale, "1", received_ms=at_ms),
        claim("bob", cards, "2", received_ms=at_ms),
        claim("ann", cards, "3", received_ms=at_ms),
    ]
    driver.loop(*messages)
    assert judged(driver) == [("bob", False), ("ann", True)]
    assert driver.bodies(OpCode.CLAIM_REJECTED) == [rejected("LOCKED", "2")]


def test_one_sync_per_answer_is_never_rate_limited() -> None:
    """A client that sends SYNC after every answer gets at most 20 snapshots per second."""
    driver = on_arrival()
    answered, sent = 0, 0
    for _ in range(2_000):
        waiting = sent > answered
        received = driver.loop(*([] if waiting else [sync("ann")]), after_ms=1)
        sent += not waiting
        answered += len(received)
    assert {message.op_code for message in driver.received[-answered:]} == {OpCode.SNAPSHOT}
    assert answered == 2_000 // INTERVAL_MS + 1 <= 2 * RATE_LIMIT


def test_match_clock_never_decreases_before_the_first_game() -> None:
    driver = MatchDriver({"claimOrder": "ARRIVAL"})
    driver.join("ann")
    driver.loop(after_ms=100)
    at_ms = driver.now_ms
    late = PlayerMessage("ann", OpCode.SYNC, received_ms=at_ms - 30)
    assert driver.send(late, after_ms=1).body["nowMs"] == at_ms


def test_syncs_within_the_interval_get_one_snapshot_at_its_end() -> None:
    driver = on_arrival()
    at_ms = driver.now_ms + 1
    assert driver.send(sync("ann"), after_ms=1).body["nowMs"] == at_ms - 1
    assert driver.loop(sync("ann"), after_ms=1) == []
    (other,) = driver.loop(sync("ann"), sync("bob"), after_ms=1)
    assert other.audience == ("bob-1",)
    assert driver.wake_ms == at_ms - 1 + INTERVAL_MS
    (late,) = driver.wait(1_000)
    assert (late.op_code, late.audience, late.body["nowMs"]) == (
        OpCode.SNAPSHOT,
        ("ann-1",),
        at_ms - 1 + INTERVAL_MS,
    )


def test_late_snapshot_has_the_phase_of_its_time() -> None:
    driver = on_arrival(animationMs={"validSet": 20, "refill": 1_000})
    driver.loop(sync("ann"), claim("ann", driver.sets[0], "1"), sync("ann"), after_ms=1)
    (late,) = driver.wait(INTERVAL_MS)
    assert (late.op_code, late.body["phase"]) == (OpCode.SNAPSHOT, "PHASE_REFILL_ANIM")


def test_requested_snapshot_of_a_lost_connection_is_dropped() -> None:
    driver = on_arrival()
    driver.loop(sync("ann"), sync("ann"), after_ms=1)
    driver.disconnect("ann")
    assert OpCode.SNAPSHOT not in {message.op_code for message in driver.wait(1_000)}


def test_other_messages_are_answered_within_the_interval() -> None:
    driver = on_arrival("ann", mode="SINGLE_PLAYER", hints=True)
    answers = [
        driver.send(message, after_ms=1).op_code for message in (sync("ann"), hint("ann"), hint("ann"))
    ]
    assert answers == [OpCode.SNAPSHOT, OpCode.HINT_RESULT, OpCode.HINT_RESULT]
