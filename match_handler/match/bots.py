"""Bots: which cards they claim, and when (DESIGN section 7).

A bot knows the board, never the deck. For every version of the board it draws a reaction time and, with a
probability that depends on its level, an error. A claim of another player that changes the board makes the
bot plan again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from match_handler.match.context import MatchContext
from match_handler.match.splitmix import SplitMix64
from match_handler.match.state import BotPlan
from set_core.options import BotLevel
from set_core.session import GameSession
from set_core.validator import find_sets_among


@dataclass(frozen=True, slots=True)
class BotProfile:
    """Reaction time and error rate of a bot level.

    Attributes:
        fastest_ms: shortest reaction time, from the moment at which the board is unlocked.
        slowest_ms: longest reaction time.
        error_percent: share of plans with a wrong third card, 0..100.
    """

    fastest_ms: int
    slowest_ms: int
    error_percent: int


PROFILES: Final = {
    BotLevel.EASY: BotProfile(6_000, 18_000, 20),
    BotLevel.MEDIUM: BotProfile(3_500, 10_000, 8),
    BotLevel.HARD: BotProfile(1_800, 5_000, 2),
}
"""EASY is slower than most people: they find a Set in a few seconds."""


def _with_error(rng: SplitMix64, cards: Sequence[int], chosen: tuple[int, int, int]) -> tuple[int, int, int]:
    others = [card for card in cards if card not in chosen]
    return (chosen[0], chosen[1], others[rng.below(len(others))]) if others else chosen


def _choose_cards(rng: SplitMix64, profile: BotProfile, cards: Sequence[int]) -> tuple[int, int, int] | None:
    sets = find_sets_among(cards)
    if not sets:
        return None
    chosen = sets[rng.below(len(sets))]
    return _with_error(rng, cards, chosen) if rng.happens(profile.error_percent) else chosen


def _plan(context: MatchContext, session: GameSession, level: BotLevel) -> BotPlan:
    rng, profile = SplitMix64(context.state.rng_state), PROFILES[level]
    card_ids = _choose_cards(rng, profile, session.board.card_ids)
    ready_ms = max(context.now_ms, session.locked_until_ms)
    due_ms = ready_ms + rng.between(profile.fastest_ms, profile.slowest_ms)
    context.state.rng_state = rng.state
    return BotPlan(session.board_version, due_ms, card_ids)


def refresh_plans(context: MatchContext) -> None:
    """Make a plan for every bot that has none for the current version of the board."""
    session = context.session
    if session is None or not context.options.bots or not context.playing:
        return
    for seat in context.state.seats:
        is_outdated = seat.bot_plan is None or seat.bot_plan.board_version != session.board_version
        if seat.bot_level is not None and is_outdated:
            seat.bot_plan = _plan(context, session, BotLevel[seat.bot_level])


def claim_due(context: MatchContext, before_ms: int) -> tuple[int, tuple[int, int, int]] | None:
    """Return seat and card ids of the first bot claim that is due before a time, in the order of seats."""
    if not context.options.bots or not context.playing:
        return None
    for index, seat in enumerate(context.state.seats):
        plan = seat.bot_plan
        if plan is not None and plan.card_ids is not None and plan.due_ms < before_ms:
            return index, plan.card_ids
    return None


def next_claim(context: MatchContext) -> tuple[int, int, tuple[int, int, int]] | None:
    """Return due time, seat and card ids of the earliest bot claim; at equal times, the lowest seat's."""
    if not context.options.bots or not context.playing:
        return None
    plans = ((index, seat.bot_plan) for index, seat in enumerate(context.state.seats))
    claims = ((plan.due_ms, index, plan.card_ids) for index, plan in plans if plan and plan.card_ids)
    return min(claims, default=None)


def next_claim_ms(context: MatchContext) -> int | None:
    """Return the match-clock time of the next bot claim; None if no claim is planned."""
    claim = next_claim(context)
    return None if claim is None else claim[0]
