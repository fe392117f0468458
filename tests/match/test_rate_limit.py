"""Limit of messages per connection (fault F25: no client can try all 1,330 triples)."""

from msgspec.structs import replace

from match_handler.match.rejections import RATE_LIMIT, RATE_WINDOW_MS
from match_handler.protocol.payloads import OpCode
from tests.match.driver import NOON, MatchDriver, started
from tests.match.messages import PlayerMessage, claim, ready, rejected, sync


def limited(driver: MatchDriver) -> int:
    return sum(
        message["reason"] == "CLAIM_REASON_RATE_LIMITED" for message in driver.bodies(OpCode.CLAIM_REJECTED)
    )


def test_thirty_messages_per_second_are_processed() -> None:
    driver = started()
    driver.loop(*[ready("ann")] * (RATE_LIMIT + 5))
    reasons = [message["reason"] for message in driver.bodies(OpCode.CLAIM_REJECTED)]
    assert reasons == ["CLAIM_REASON_NOT_ALLOWED"] * 30 + ["CLAIM_REASON_RATE_LIMITED"] * 5


def test_several_syncs_in_one_tick_get_one_snapshot() -> None:
    driver = started()
    received = driver.loop(*[sync("ann")] * RATE_LIMIT, sync("bob"))
    assert [(message.op_code, message.audience) for message in received] == [
        (OpCode.SNAPSHOT, ("ann-1",)),
        (OpCode.SNAPSHOT, ("bob-1",)),
    ]


def test_claims_at_a_normal_rate_in_an_outage_are_answered() -> None:
    """The match clock stops during an outage; the limit uses the time of day."""
    driver = started()
    cards = driver.sets[0]
    driver.loop_inputs(
        [
            replace(
                driver.drained(claim("ann", cards, str(number))),
                received_ms=driver.now_ms,
                received_unix_ms=NOON + number * 400,
            )
            for number in range(60)
        ]
    )
    assert limited(driver) == 0
    answered = driver.bodies(OpCode.CLAIM_RESULT) + driver.bodies(OpCode.CLAIM_REJECTED)
    assert sorted(int(message["claimId"]) for message in answered) == list(range(60))


def test_next_second_has_a_new_limit() -> None:
    driver = started()
    driver.wait(RATE_WINDOW_MS)
    driver.loop(*[sync("ann")] * RATE_LIMIT)
    driver.loop(sync("ann"), after_ms=RATE_WINDOW_MS - 1)
    assert limited(driver) == 1
    driver.loop(sync("ann"), after_ms=1)
    assert limited(driver) == 1


def test_every_kind_of_message_counts() -> None:
    driver = started()
    driver.loop(*[PlayerMessage("ann", 77, b"junk")] * RATE_LIMIT)
    answer = driver.claim("ann", driver.sets[0], "late").body
    assert answer == rejected("RATE_LIMITED", "late")
    assert driver.session.players[0].score == 0


def test_other_users_are_not_limited() -> None:
    driver = started()
    driver.loop(*[sync("ann")] * 200, claim("bob", driver.sets[0]))
    assert driver.bodies(OpCode.CLAIM_RESULT)[0]["userId"] == "bob"
    assert limited(driver) == 200 - RATE_LIMIT


def test_limit_is_per_connection() -> None:
    driver = started()
    driver.join("ann", session="second")
    received = driver.loop(*[sync("ann")] * RATE_LIMIT, *[sync("ann", "second")] * RATE_LIMIT)
    assert {message.op_code for message in received} == {OpCode.SNAPSHOT}
