"""Seats that the service plays: what a bot claims and when (DESIGN section 7).

A bot sees the board, never the deck. For every board it draws a reaction time and, sometimes, a mistake; a
claim of somebody else changes the board and makes it look anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from match_handler.match.chance import Chance
from match_handler.match.context import Table
from match_handler.match.state import BotPlan
from set_core.options import BotLevel
from set_core.session import GameSession
from set_core.validator import find_sets_among


@dataclass(frozen=True, slots=True)
class Temper:
    """How a level plays: reaction in milliseconds from the unlocked board, and how often it errs."""

    fastest_ms: int
    slowest_ms: int
    error_percent: int


TEMPERS: Final = {
    BotLevel.EASY: Temper(6_000, 18_000, 20),
    BotLevel.MEDIUM: Temper(3_500, 10_000, 8),
    BotLevel.HARD: Temper(1_800, 5_000, 2),
}
"""EASY is slower than people are: they find a Set in a few seconds."""


def _mistake(chance: Chance, cards: Sequence[int], chosen: tuple[int, int, int]) -> tuple[int, int, int]:
    others = [card for card in cards if card not in chosen]
    return (chosen[0], chosen[1], others[chance.below(len(others))]) if others else chosen


def _choice(chance: Chance, temper: Temper, cards: Sequence[int]) -> tuple[int, int, int] | None:
    sets = find_sets_among(cards)
    if not sets:
        return None
    chosen = sets[chance.below(len(sets))]
    return _mistake(chance, cards, chosen) if chance.happens(temper.error_percent) else chosen


def _plan(table: Table, session: GameSession, level: BotLevel) -> BotPlan:
    chance, temper = Chance(table.state.chance), TEMPERS[level]
    card_ids = _choice(chance, temper, session.board.card_ids)
    ready_ms = max(table.now_ms, session.locked_until_ms)
    due_ms = ready_ms + chance.between(temper.fastest_ms, temper.slowest_ms)
    table.state.chance = chance.state
    return BotPlan(session.board_version, due_ms, card_ids)


def refresh_plans(table: Table) -> None:
    """Lets every bot that has no plan for the present board make one."""
    session = table.session
    if session is None or not table.options.bots or not table.playing:
        return
    for seat in table.state.seats:
        stale = seat.bot_plan is None or seat.bot_plan.board_version != session.board_version
        if seat.bot_level is not None and stale:
            seat.bot_plan = _plan(table, session, BotLevel[seat.bot_level])


def claim_due(table: Table, before_ms: int) -> tuple[int, tuple[int, int, int]] | None:
    """The seat and the cards of the next bot claim that is due before a time; lower seats first."""
    if not table.options.bots or not table.playing:
        return None
    for index, seat in enumerate(table.state.seats):
        plan = seat.bot_plan
        if plan is not None and plan.card_ids is not None and plan.due_ms < before_ms:
            return index, plan.card_ids
    return None


def next_claim_ms(table: Table) -> int | None:
    """When the next bot claim is due; None if there is none."""
    if not table.options.bots or not table.playing:
        return None
    plans = [seat.bot_plan for seat in table.state.seats if seat.bot_plan is not None]
    return min((plan.due_ms for plan in plans if plan.card_ids is not None), default=None)
