"""Locks and phases: whom they affect, their start and end (decisions D4 and D5)."""

import pytest

from set_core import (
    AnimationMs,
    BoardExpanded,
    ClaimOrder,
    ClaimRejected,
    GameSession,
    Penalty,
    Phase,
    RejectionReason,
)
from tests.core.boards import deck_order
from tests.core.games import (
    CAP,
    a_set,
    frozen,
    judged,
    new_game,
    no_set,
    only,
    rejected,
    running,
    stuck_after_claim,
    undealt,
)


def after_valid_claim(now_ms: int = 1_000) -> GameSession:
    session = running()
    session.claim(0, a_set(session), now_ms)
    return session


def test_phases_after_a_valid_claim() -> None:
    session = after_valid_claim(1_000)
    phases = {}
    for now_ms in (1_000, 1_399, 1_400, 1_699, 1_700):
        session.advance(now_ms)
        phases[now_ms] = session.phase

    assert phases == {
        1_000: Phase.VALID_SET_ANIM,
        1_399: Phase.VALID_SET_ANIM,
        1_400: Phase.REFILL_ANIM,
        1_699: Phase.REFILL_ANIM,
        1_700: Phase.BOARD_IDLE,
    }


@pytest.mark.parametrize("now_ms", [1_001, 1_400, 1_699])
def test_valid_claim_locks_all_players(now_ms: int) -> None:
    for seat in (0, 1):
        session = after_valid_claim(1_000)
        assert rejected(session.claim(seat, a_set(session), now_ms)) is RejectionReason.LOCKED


@pytest.mark.parametrize("seat", [0, 1])
def test_claim_at_the_end_of_the_lock_is_judged(seat: int) -> None:
    session = after_valid_claim(1_000)
    assert judged(session.claim(seat, a_set(session), 1_700)).is_valid


def test_valid_claim_locks_claimant_now_and_others_next_tick() -> None:
    """Decision D4: claims of other players in the same tick are judged on the updated board."""
    session = after_valid_claim(1_000)
    assert rejected(session.claim(0, a_set(session), 1_000)) is RejectionReason.LOCKED
    assert judged(session.claim(1, a_set(session), 1_000)).is_valid


@pytest.mark.parametrize("seat", [0, 1])
def test_valid_claim_locks_all_players_now_on_arrival(seat: int) -> None:
    """Decision D14: of two claims in one millisecond, the first to arrive is judged."""
    session = running(claim_order=ClaimOrder.ARRIVAL, penalty=Penalty.POINT)
    session.claim(0, a_set(session), 1_000)
    assert rejected(session.claim(seat, no_set(session), 1_000)) is RejectionReason.LOCKED
    assert rejected(session.claim(seat, a_set(session), 1_699)) is RejectionReason.LOCKED
    assert session.players[seat].invalid_attempts == 0
    assert judged(session.claim(seat, a_set(session), 1_700)).is_valid


def test_without_animations_only_claimant_is_locked_on_arrival() -> None:
    session = running(animation_ms=AnimationMs(0, 0, 0, 0), claim_order=ClaimOrder.ARRIVAL)
    session.claim(0, a_set(session), 1_000)
    assert rejected(session.claim(0, a_set(session), 1_000)) is RejectionReason.LOCKED
    assert judged(session.claim(1, a_set(session), 1_000)).is_valid


def test_locked_claim_has_no_effect() -> None:
    """Edge case "Input during animation lock" of the rules: nothing is queued, nothing is charged."""
    session = running(penalty=Penalty.POINT)
    session.claim(0, a_set(session), 0)
    session.advance(100)
    before = frozen(session)

    assert session.claim(0, no_set(session), 100) == [ClaimRejected(0, RejectionReason.LOCKED)]
    assert session.state == before
    assert session.advance(10_000) == []
    assert session.players[0].invalid_attempts == 0


def test_invalid_claim_locks_only_its_claimant() -> None:
    session = running()
    session.claim(0, no_set(session), 1_000)

    assert session.phase is Phase.BOARD_IDLE
    assert rejected(session.claim(0, a_set(session), 1_000)) is RejectionReason.LOCKED
    assert rejected(session.claim(0, a_set(session), 1_399)) is RejectionReason.LOCKED
    assert judged(session.claim(1, a_set(session), 1_399)).is_valid


@pytest.mark.fault("F16")
def test_lock_of_the_claimant_ends_without_a_call() -> None:
    """Fault F16: no lock lasts longer than its time."""
    session = running()
    session.claim(0, no_set(session), 1_000)

    assert judged(session.claim(0, a_set(session), 1_400)).is_valid


def test_stale_claim_locks_its_claimant() -> None:
    session = running()
    session.claim(1, undealt(session), 1_000)

    assert rejected(session.claim(1, a_set(session), 1_200)) is RejectionReason.LOCKED


def test_invalid_claim_in_the_tick_of_a_valid_one_locks_longer() -> None:
    session = after_valid_claim(1_000)
    event = judged(session.claim(1, no_set(session), 1_000))

    assert (event.is_valid, event.phase, event.locked_until_ms) == (False, Phase.VALID_SET_ANIM, 1_700)
    assert session.players[1].locked_until_ms == 1_400


def test_without_animations_claimant_is_locked_for_one_instant() -> None:
    session = running(animation_ms=AnimationMs(0, 0, 0, 0))
    for now_ms in (5, 7, 9):
        assert judged(session.claim(0, no_set(session), now_ms - 1)).phase is Phase.BOARD_IDLE
        event = judged(session.claim(0, a_set(session), now_ms))
        assert (event.phase, event.locked_until_ms) == (Phase.BOARD_IDLE, now_ms)
        assert rejected(session.claim(0, a_set(session), now_ms)) is RejectionReason.LOCKED


def test_without_valid_set_animation_the_refill_is_immediate() -> None:
    session = running(animation_ms=AnimationMs(valid_set=0, refill=10))

    assert judged(session.claim(0, a_set(session), 5)).phase is Phase.REFILL_ANIM
    assert session.deadline_ms == 15


def test_without_refill_animation_the_board_is_idle_next() -> None:
    session = running(animation_ms=AnimationMs(valid_set=10, refill=0))
    session.claim(0, a_set(session), 5)
    session.advance(15)

    assert session.phase is Phase.BOARD_IDLE


def test_expansion_locks_all_players_immediately() -> None:
    session = new_game(deck_order(*CAP[:12]))
    event = only(session.start(0), BoardExpanded)

    assert (event.phase, event.locked_until_ms) == (Phase.EXPAND_BOARD, 150)
    for now_ms in (0, 149):
        assert rejected(session.claim(0, (0, 1, 2), now_ms)) is RejectionReason.LOCKED
    assert judged(session.claim(0, (0, 1, 2), 150)).seat == 0


def test_claims_in_the_tick_of_an_expansion_are_locked() -> None:
    session = stuck_after_claim()
    session.claim(0, (0, 1, 2), 0)
    events = session.claim(1, (3, 4, 5), 700)

    assert [type(event) for event in events] == [BoardExpanded, ClaimRejected]


def test_earlier_time_is_replaced_by_the_latest_time() -> None:
    session = after_valid_claim(1_000)
    session.advance(1_700)
    event = judged(session.claim(0, no_set(session), 1_200))

    assert event.phase is Phase.BOARD_IDLE
    assert session.players[0].locked_until_ms == 2_100
    assert session.state.seen_ms == 1_700
