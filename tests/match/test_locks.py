"""Locks and their duration (decisions D4, D5)."""

from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, started

NO_SET_12 = (0, 1, 3, 4, 9, 10, 12, 13, 27, 28, 30, 31)
"""Twelve cards without a Set: every attribute has at most two of its values."""
SPARE_SET = (60, 61, 62)


def locked(driver: MatchDriver, user: str) -> bool:
    return driver.claim(user, driver.sets[0]).body.get("reason") == "CLAIM_REASON_LOCKED"


def test_valid_claim_locks_all_until_the_refill_is_shown() -> None:
    driver = started()
    body = driver.claim("ann", driver.sets[0]).body
    lock_ms = body["lockedUntilMs"]
    assert locked(driver, "ann")
    assert locked(driver, "bob")
    driver.wait(lock_ms - driver.now_ms - 51)
    assert locked(driver, "bob"), "a millisecond before the end"
    assert not locked(driver, "bob"), "the lock is over"


def test_invalid_claim_locks_only_its_claimant() -> None:
    driver = started()
    wrong = driver.claim("ann", driver.not_a_set).body
    assert wrong["player"]["lockedUntilMs"] == driver.now_ms + 400
    assert wrong["phase"] == "PHASE_BOARD_IDLE"
    assert locked(driver, "ann")
    assert not locked(driver, "bob")


def test_phases_change_with_time() -> None:
    driver = started()
    driver.claim("ann", driver.sets[0])
    assert driver.snapshot("bob")["phase"] == "PHASE_VALID_SET_ANIM"
    driver.wait(400)
    snapshot = driver.snapshot("bob")
    assert snapshot["phase"] == "PHASE_REFILL_ANIM"
    assert snapshot["lockedUntilMs"] == driver.now_ms + 300
    driver.wait(300)
    snapshot = driver.snapshot("bob")
    assert snapshot["phase"] == "PHASE_BOARD_IDLE"
    assert "lockedUntilMs" not in snapshot


def growing() -> MatchDriver:
    """Return a match whose only Set leaves a board without one, which expands when the lock ends."""
    driver = started()
    board = (*NO_SET_12[:9], *SPARE_SET)
    rest = [card for card in range(81) if card not in NO_SET_12 + SPARE_SET]
    driver.set_deck((*board, *NO_SET_12[9:], *rest))
    return driver


def test_expansion_locks_all_players() -> None:
    driver = growing()
    body = driver.claim("ann", SPARE_SET).body
    assert body["valid"]
    assert driver.wake_ms == body["lockedUntilMs"]
    driver.wait(700)
    (grown,) = driver.bodies(OpCode.BOARD_EXPANDED)
    assert grown["phase"] == "PHASE_EXPAND_BOARD"
    assert grown["lockedUntilMs"] == body["lockedUntilMs"] + 150
    assert [slot["index"] for slot in grown["slots"]] == [12, 13, 14]
    assert grown["cardsRemaining"] == body["cardsRemaining"] - 3
    assert driver.claim("bob", driver.board[:3]).body["reason"] == "CLAIM_REASON_LOCKED"


def test_no_player_is_locked_after_the_end_of_a_game() -> None:
    driver = started({"timeLimitSeconds": 100})
    driver.wait(driver.session.started_ms + 99_990 - driver.now_ms)
    driver.claim("ann", driver.not_a_set)
    driver.wait(10)
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    assert all("lockedUntilMs" not in line["player"] for line in ended["standings"])
    assert all("lockedUntilMs" not in player for player in driver.snapshot("ann")["players"])
