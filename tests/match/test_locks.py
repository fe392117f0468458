"""Who is locked, and for how long (decisions D4, D5)."""

import pytest

from match_handler.protocol.payloads import OpCode
from tests.match.driver import TableDriver, started
from tests.match.said import claim

NO_SET_12 = (0, 1, 3, 4, 9, 10, 12, 13, 27, 28, 30, 31)
"""Twelve cards without a Set: every attribute takes two of its values at most."""
SPARE_SET = (60, 61, 62)


def locked(table: TableDriver, user: str) -> bool:
    return table.claim(user, table.sets[0]).body.get("reason") == "CLAIM_REASON_LOCKED"


def test_a_valid_claim_locks_everybody_until_the_refill_is_shown() -> None:
    table = started()
    told = table.claim("ann", table.sets[0]).body
    lock_ms = told["lockedUntilMs"]
    assert locked(table, "ann")
    assert locked(table, "bob")
    table.wait(lock_ms - table.now_ms - 51)
    assert locked(table, "bob"), "a millisecond before the end"
    assert not locked(table, "bob"), "the lock is over"


def test_at_its_very_end_a_lock_is_over() -> None:
    table = started()
    lock_ms = table.claim("ann", table.sets[0]).body["lockedUntilMs"]
    table.loop(claim("bob", table.sets[0]), after_ms=lock_ms - table.now_ms)
    assert table.of(OpCode.CLAIM_RESULT)[-1]["userId"] == "bob"


def test_an_invalid_claim_locks_its_claimant_only() -> None:
    table = started()
    wrong = table.claim("ann", table.not_a_set).body
    assert wrong["player"]["lockedUntilMs"] == table.now_ms + 400
    assert wrong["phase"] == "PHASE_BOARD_IDLE"
    assert locked(table, "ann")
    assert not locked(table, "bob")


def test_the_claimant_s_lock_ends_after_its_time() -> None:
    table = started()
    until_ms = table.claim("ann", table.not_a_set).body["player"]["lockedUntilMs"]
    table.wait(until_ms - table.now_ms - 51)
    assert locked(table, "ann")
    assert not locked(table, "ann")


def test_claims_of_the_same_tick_as_a_valid_one_meet_the_new_board() -> None:
    table = started()
    cards, other = table.sets[0], table.not_a_set
    first, second, third = table.loop(claim("ann", cards), claim("bob", cards, "1"), claim("bob", other, "2"))
    assert first.body["valid"]
    assert second.body["reason"] == "CLAIM_REASON_STALE"
    assert third.body["reason"] == "CLAIM_REASON_LOCKED", "bob's own lock after the stale claim"


def test_a_locked_claim_costs_nothing_and_is_not_kept_for_later() -> None:
    table = started({"penalty": "POINT"})
    table.award("ann")
    table.claim("ann", table.sets[0])
    answer = table.claim("bob", table.not_a_set)
    assert answer.body["reason"] == "CLAIM_REASON_LOCKED"
    assert answer.audience == ("bob-1",)
    before = len(table.of(OpCode.CLAIM_RESULT))
    table.wait(10_000)
    assert len(table.of(OpCode.CLAIM_RESULT)) == before
    assert table.session.players[1].invalid_attempts == 0


@pytest.mark.parametrize("times", [{"validSet": 0, "refill": 0, "invalidSet": 0, "expandBoard": 0}])
def test_without_animations_nobody_is_ever_locked(times: dict[str, int]) -> None:
    table = started({"animationMs": times})
    assert not table.claim("ann", table.not_a_set).body["valid"]
    for user in ("ann", "bob", "ann"):
        assert table.claim(user, table.sets[0]).body["valid"]


def test_the_phases_pass_by_time() -> None:
    table = started()
    table.claim("ann", table.sets[0])
    assert table.snapshot("bob")["phase"] == "PHASE_VALID_SET_ANIM"
    table.wait(400)
    told = table.snapshot("bob")
    assert told["phase"] == "PHASE_REFILL_ANIM"
    assert told["lockedUntilMs"] == table.now_ms + 300
    table.wait(300)
    told = table.snapshot("bob")
    assert told["phase"] == "PHASE_BOARD_IDLE"
    assert "lockedUntilMs" not in told


def growing() -> TableDriver:
    """A table whose only Set at hand leaves a board without one, which grows when the lock ends."""
    table = started()
    board = (*NO_SET_12[:9], *SPARE_SET)
    rest = [card for card in range(81) if card not in NO_SET_12 + SPARE_SET]
    table.rig((*board, *NO_SET_12[9:], *rest))
    return table


def test_an_expansion_locks_everybody() -> None:
    table = growing()
    told = table.claim("ann", SPARE_SET).body
    assert told["valid"]
    assert table.wake_ms == told["lockedUntilMs"]
    table.wait(700)
    (grown,) = table.of(OpCode.BOARD_EXPANDED)
    assert grown["phase"] == "PHASE_EXPAND_BOARD"
    assert grown["lockedUntilMs"] == told["lockedUntilMs"] + 150
    assert [slot["index"] for slot in grown["slots"]] == [12, 13, 14]
    assert grown["cardsRemaining"] == told["cardsRemaining"] - 3
    assert table.claim("bob", table.board[:3]).body["reason"] == "CLAIM_REASON_LOCKED"
