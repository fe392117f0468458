"""Events, inputs, bot claims and leaves of one call happen in one order (decisions D1, D8, E57, E60, E70)."""

from match_handler.match.admission import RESERVATION_MS
from match_handler.match.context import Presence
from match_handler.match.seating import Leave, LeaveReason
from match_handler.protocol.payloads import OpCode
from tests.match.driver import TableDriver, started
from tests.match.said import claim, rematch, session_of, sync

WINDOW_MS = 30_000


def left(table: TableDriver, user: str, at_ms: int, reason: LeaveReason = LeaveReason.LEFT) -> Leave:
    del table
    return Leave(Presence(user, session_of(user), user), reason, at_ms)


def test_a_human_claim_comes_before_a_bot_claim_that_is_due_earlier() -> None:
    table = started({"maxPlayers": 3, "bots": [{"level": "HARD"}]})
    bot = table.inside.seats[2]
    assert bot.bot_plan is not None
    due_ms, cards = bot.bot_plan.due_ms, table.sets[0]
    table.loop(claim("ann", cards, received_ms=due_ms + 15), after_ms=due_ms + 40 - table.now_ms)
    first = table.of(OpCode.CLAIM_RESULT)[0]
    assert (first["userId"], first["valid"]) == ("ann", True)


def test_a_leave_before_the_end_of_the_clock_comes_first() -> None:
    table = started({"timeLimitSeconds": 100})
    table.award("bob")
    end_ms = table.session.started_ms + 100_000
    table.wait(end_ms - 20 - table.now_ms)
    table.now_ms = end_ms + 5
    table.call(lambda match: match.loop([], [left(table, "ann", end_ms - 10)]))
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_LAST_PLAYER_STANDING"


def test_a_leave_after_the_end_of_the_clock_changes_no_result() -> None:
    table = started({"timeLimitSeconds": 100})
    end_ms = table.session.started_ms + 100_000
    table.wait(end_ms - 20 - table.now_ms)
    table.now_ms = end_ms + 5
    table.call(lambda match: match.loop([], [left(table, "ann", end_ms + 1)]))
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_TIME_UP"


def test_what_a_player_sent_comes_before_its_leave() -> None:
    table = started()
    inputs = [table.drained(claim("ann", table.sets[0]))]
    table.call(lambda match: match.loop(inputs, [left(table, "ann", table.now_ms - 30)]))
    assert [told.op_code for told in table.heard[-3:]] == [
        OpCode.CLAIM_RESULT,
        OpCode.PLAYER_CHANGED,
        OpCode.MATCH_ENDED,
    ]


def test_an_allowed_attempt_keeps_the_reconnect_window_open_until_the_join() -> None:
    table = started()
    table.lose("ann")
    table.wait(WINDOW_MS - 10)
    assert table.attempt("ann", "ann-2") is None
    table.wait(500)
    assert table.of(OpCode.MATCH_ENDED) == []
    table.enter("ann", session="ann-2")
    assert table.of(OpCode.PLAYER_CHANGED)[-1]["change"] == "PLAYER_CHANGE_RECONNECTED"
    table.wait(60_000)
    assert table.of(OpCode.MATCH_ENDED) == []


def test_an_attempt_without_a_join_keeps_the_window_open_for_15_seconds() -> None:
    table = started()
    table.lose("ann")
    table.wait(WINDOW_MS - 10)
    table.attempt("ann", "ann-2")
    table.wait(RESERVATION_MS - 1)
    assert table.of(OpCode.MATCH_ENDED) == []
    table.wait(1)
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_LAST_PLAYER_STANDING"


def test_an_attempt_after_the_window_does_not_open_it_again() -> None:
    table = started()
    table.lose("ann")
    table.wait(WINDOW_MS)
    table.join("ann", session="ann-2")
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_LAST_PLAYER_STANDING"


def test_a_match_that_closes_in_a_call_sends_no_snapshot_and_no_join() -> None:
    table = TableDriver()
    table.attempt("ann")
    table.wait(59_900)
    table.now_ms += 200
    heard = table.enter("ann")
    table.loop(sync("ann"))
    assert [told.op_code for told in table.heard if told.op_code is OpCode.MATCH_ENDED] != []
    assert OpCode.SNAPSHOT not in {told.op_code for told in heard}


def test_after_the_end_of_a_game_no_player_is_locked() -> None:
    table = started({"timeLimitSeconds": 100})
    table.wait(table.session.started_ms + 99_990 - table.now_ms)
    table.claim("ann", table.not_a_set)
    table.wait(10)
    (ended,) = table.of(OpCode.MATCH_ENDED)
    assert all("lockedUntilMs" not in line["player"] for line in ended["standings"])
    assert all("lockedUntilMs" not in player for player in table.snapshot("ann")["players"])


def test_a_claim_id_judged_in_one_game_stays_judged_in_the_next() -> None:
    table = started({"timeLimitSeconds": 100})
    table.claim("ann", table.sets[0], "mine")
    table.wait(100_000)
    table.loop(*(rematch(user) for user in ("ann", "bob")))
    table.settle()
    assert table.claim("ann", table.sets[0], "mine").body["reason"] == "CLAIM_REASON_DUPLICATE"
