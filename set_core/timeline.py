"""Phases, locks and timed events of a game, computed from its state. Times are match-clock milliseconds."""

from set_core.options import ClaimOrder, MatchOptions
from set_core.phase import Phase
from set_core.state import PlayerState, SessionState


def phase_of(state: SessionState) -> Phase:
    """Return the phase at the current time of the game."""
    if state.end_reason:
        return Phase.MATCH_END
    if not state.is_started:
        return Phase.WAITING
    if state.seen_ms >= state.locked_until_ms:
        return Phase.BOARD_IDLE
    if state.expanding:
        return Phase.EXPAND_BOARD
    return Phase.VALID_SET_ANIM if state.seen_ms < state.refill_from_ms else Phase.REFILL_ANIM


def is_locked(state: SessionState, player: PlayerState) -> bool:
    """Return whether the player is locked now, by the lock for all or by the own lock (decision D4)."""
    now_ms = state.seen_ms
    return state.locked_after_ms < now_ms < state.locked_until_ms or now_ms < player.locked_until_ms


def lock_claimant(state: SessionState, player: PlayerState, length_ms: int) -> None:
    """Lock one player for some milliseconds, at least for the rest of this millisecond (decision D4)."""
    player.locked_until_ms = state.seen_ms + max(length_ms, 1)


def lock_for_valid_set(options: MatchOptions, state: SessionState, claimant: PlayerState) -> None:
    """Lock the claimant now, and all other players after this millisecond or with ARRIVAL now (D4, D14)."""
    animation = options.animation_ms
    lock_claimant(state, claimant, animation.valid_set + animation.refill)
    state.expanding = False
    is_on_arrival = options.claim_order is ClaimOrder.ARRIVAL
    state.locked_after_ms = state.seen_ms - 1 if is_on_arrival else state.seen_ms
    state.refill_from_ms = state.seen_ms + animation.valid_set
    state.locked_until_ms = state.refill_from_ms + animation.refill


def lock_for_expansion(options: MatchOptions, state: SessionState) -> None:
    """Lock all players for the animation of an expansion, including this millisecond (decision D4)."""
    state.expanding = True
    state.locked_after_ms = state.seen_ms - 1
    state.locked_until_ms = state.seen_ms + options.animation_ms.expand_board


def remaining_ms(options: MatchOptions, state: SessionState, now_ms: int, penalty_ms: int = 0) -> int | None:
    """Return the time that remains on a clock, at least 0; None without a time limit.

    A clock does not run before the deal and after the end.

    Args:
        options: the options.
        state: the state of the game.
        now_ms: the time of the reading.
        penalty_ms: the time penalties of the clock.
    """
    limit = options.time_limit_seconds * 1000
    return max(0, limit - _elapsed_ms(state, now_ms) - penalty_ms) if limit else None


def _elapsed_ms(state: SessionState, now_ms: int) -> int:
    if not state.is_started:
        return 0
    return (state.ended_ms if state.end_reason else max(now_ms, state.seen_ms)) - state.started_ms


def closing_ms(options: MatchOptions, state: SessionState) -> int | None:
    """Return when the first clock runs out (decision D7); None without a time limit or a running game."""
    limit = options.time_limit_seconds * 1000
    if not limit or not state.is_running:
        return None
    return (
        state.started_ms + limit - max(player.penalty_ms for player in state.players if not player.forfeited)
    )


def wake_ms(options: MatchOptions, state: SessionState) -> int | None:
    """Return the time of the next event that needs no input; None if there is none."""
    expansion_ms = state.locked_until_ms if state.expansion_due else None
    return _earliest(closing_ms(options, state), expansion_ms) if options.time_limit_seconds else expansion_ms


def deadline_ms(options: MatchOptions, state: SessionState) -> int | None:
    """Return the time of the next event or change of phase that needs no input; None if there is none."""
    return _earliest(wake_ms(options, state), _next_phase_ms(state))


def _next_phase_ms(state: SessionState) -> int | None:
    if not state.is_running or state.seen_ms >= state.locked_until_ms:
        return None
    if state.expanding or state.seen_ms >= state.refill_from_ms:
        return state.locked_until_ms
    return state.refill_from_ms


def _earliest(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)
