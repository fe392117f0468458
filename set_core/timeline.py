"""When things happen by themselves: phases, locks, expansions and clocks, read from a game's state."""

from set_core.options import MatchOptions
from set_core.phase import Phase
from set_core.state import PlayerState, SessionState


def phase_of(state: SessionState) -> Phase:
    """Where the game stands at the latest time it was told."""
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
    """Whether this player's claims are refused now: everybody's lock or the player's own (decision D4)."""
    now_ms = state.seen_ms
    return state.locked_after_ms < now_ms < state.locked_until_ms or now_ms < player.locked_until_ms


def lock_claimant(state: SessionState, player: PlayerState, length_ms: int) -> None:
    """Lock one player for some time, at least for the rest of this instant (decision D4)."""
    player.locked_until_ms = state.seen_ms + max(length_ms, 1)


def lock_for_valid_set(options: MatchOptions, state: SessionState, claimant: PlayerState) -> None:
    """Lock all players while a Set is shown and refilled, at this instant only the claimant (D4)."""
    animation = options.animation_ms
    lock_claimant(state, claimant, animation.valid_set + animation.refill)
    state.expanding = False
    state.locked_after_ms = state.seen_ms
    state.refill_from_ms = state.seen_ms + animation.valid_set
    state.locked_until_ms = state.refill_from_ms + animation.refill


def lock_for_expansion(options: MatchOptions, state: SessionState) -> None:
    """Lock everybody while cards are added, this very instant included (decision D4)."""
    state.expanding = True
    state.locked_after_ms = state.seen_ms - 1
    state.locked_until_ms = state.seen_ms + options.animation_ms.expand_board


def remaining_ms(options: MatchOptions, state: SessionState, now_ms: int, penalty_ms: int = 0) -> int | None:
    """What is left of a clock at this time, never below 0; None without a limit.

    A clock stands still before the deal and after the end.
    """
    limit = options.time_limit_seconds * 1000
    return max(0, limit - _elapsed_ms(state, now_ms) - penalty_ms) if limit else None


def _elapsed_ms(state: SessionState, now_ms: int) -> int:
    if not state.is_started:
        return 0
    return (state.ended_ms if state.end_reason else max(now_ms, state.seen_ms)) - state.started_ms


def closing_ms(options: MatchOptions, state: SessionState) -> int | None:
    """When a player's clock first runs out (decision D7); None without a limit or a running game."""
    limit = options.time_limit_seconds * 1000
    if not limit or not state.is_running:
        return None
    return (
        state.started_ms + limit - max(player.penalty_ms for player in state.players if not player.forfeited)
    )


def wake_ms(options: MatchOptions, state: SessionState) -> int | None:
    """When the game next does something that players are told; None if it never will by itself."""
    growing_ms = state.locked_until_ms if state.expansion_due else None
    return _earliest(closing_ms(options, state), growing_ms) if options.time_limit_seconds else growing_ms


def deadline_ms(options: MatchOptions, state: SessionState) -> int | None:
    """When anything next changes by itself, phases included; None if nothing will."""
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
