"""How much one connection may send (fault F25: nobody tries all 1,330 triples)."""

from msgspec.structs import replace

from match_handler.match.rejections import RATE_LIMIT, RATE_WINDOW_MS
from match_handler.protocol.payloads import OpCode
from tests.match.driver import NOON, TableDriver, started
from tests.match.said import Said, claim, ready, rejected, sync


def limited(table: TableDriver) -> int:
    return sum(told["reason"] == "CLAIM_REASON_RATE_LIMITED" for told in table.of(OpCode.CLAIM_REJECTED))


def test_thirty_messages_a_second_are_heard() -> None:
    table = started()
    table.loop(*[ready("ann")] * (RATE_LIMIT + 5))
    reasons = [told["reason"] for told in table.of(OpCode.CLAIM_REJECTED)]
    assert reasons == ["CLAIM_REASON_NOT_ALLOWED"] * 30 + ["CLAIM_REASON_RATE_LIMITED"] * 5


def test_many_syncs_in_one_tick_are_answered_by_one_snapshot() -> None:
    table = started()
    heard = table.loop(*[sync("ann")] * RATE_LIMIT, sync("bob"))
    assert [(told.op_code, told.audience) for told in heard] == [
        (OpCode.SNAPSHOT, ("ann-1",)),
        (OpCode.SNAPSHOT, ("bob-1",)),
    ]


def test_claims_at_a_normal_pace_during_an_outage_are_all_answered() -> None:
    """The match clock stands still during an outage; the rate is that of the time of day."""
    table = started()
    cards = table.sets[0]
    table.loop_inputs(
        [
            replace(
                table.drained(claim("ann", cards, str(number))),
                received_ms=table.now_ms,
                received_unix_ms=NOON + number * 400,
            )
            for number in range(60)
        ]
    )
    assert limited(table) == 0
    answered = table.of(OpCode.CLAIM_RESULT) + table.of(OpCode.CLAIM_REJECTED)
    assert sorted(int(told["claimId"]) for told in answered) == list(range(60))


def test_the_next_second_begins_anew() -> None:
    table = started()
    table.wait(RATE_WINDOW_MS)
    table.loop(*[sync("ann")] * RATE_LIMIT)
    table.loop(sync("ann"), after_ms=RATE_WINDOW_MS - 1)
    assert limited(table) == 1
    table.loop(sync("ann"), after_ms=1)
    assert limited(table) == 1


def test_every_kind_of_message_counts() -> None:
    table = started()
    table.loop(*[Said("ann", 77, b"junk")] * RATE_LIMIT)
    answer = table.claim("ann", table.sets[0], "late").body
    assert answer == rejected("RATE_LIMITED", "late")
    assert table.session.players[0].score == 0


def test_others_are_not_concerned() -> None:
    table = started()
    table.loop(*[sync("ann")] * 200, claim("bob", table.sets[0]))
    assert table.of(OpCode.CLAIM_RESULT)[0]["userId"] == "bob"
    assert limited(table) == 200 - RATE_LIMIT


def test_the_limit_is_per_connection() -> None:
    table = started()
    table.join("ann", session="second")
    heard = table.loop(*[sync("ann")] * RATE_LIMIT, *[sync("ann", "second")] * RATE_LIMIT)
    assert {told.op_code for told in heard} == {OpCode.SNAPSHOT}
