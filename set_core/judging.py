"""Judgement of claims, and the penalty for an invalid claim."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from set_core.board import Board
from set_core.cards import Attribute, is_card_id
from set_core.choices import Penalty
from set_core.events import InvalidReason, RejectionReason
from set_core.options import MatchOptions
from set_core.state import PlayerState, SessionState
from set_core.timeline import is_locked
from set_core.validator import mixed_among, mixed_message

_CARDS_IN_A_SET: Final = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a claim; the fields are those of `ClaimJudged`."""

    reason: InvalidReason | None
    mixed_attribute: Attribute | None
    message: str


VALID: Final = Verdict(reason=None, mixed_attribute=None, message="")
"""The verdict for a Set on the board."""
STALE: Final = Verdict(InvalidReason.STALE, mixed_attribute=None, message="Cards no longer on the board")
"""The verdict if a card is not on the board. It does not reveal whether the card was drawn (decision D2)."""
_MIXED: Final = {
    attribute: Verdict(InvalidReason.NOT_A_SET, attribute, mixed_message(attribute))
    for attribute in Attribute
}


def rejection_of(state: SessionState, player: PlayerState, card_ids: Sequence[int]) -> RejectionReason | None:
    """Return the reason to reject a claim at the current time; None if the claim can be judged."""
    if not state.is_started:
        return RejectionReason.MATCH_OVER if state.end_reason else RejectionReason.NOT_STARTED
    if state.end_reason:
        return RejectionReason.MATCH_OVER
    if player.forfeited:
        return RejectionReason.FORFEITED
    if not _is_well_formed(card_ids):
        return RejectionReason.MALFORMED
    return RejectionReason.LOCKED if is_locked(state, player) else None


def _is_well_formed(card_ids: Sequence[int]) -> bool:
    if len(card_ids) != _CARDS_IN_A_SET:
        return False
    a, b, c = card_ids
    return is_card_id(a) and is_card_id(b) and is_card_id(c) and a != b != c != a


def judge(board: Board, card_ids: Sequence[int]) -> Verdict:
    """Judge whether three distinct cards are a Set on the board (rules R21 and R22)."""
    if board.slots_of(card_ids) is None:
        return STALE
    attribute = mixed_among(*card_ids)
    return VALID if attribute is None else _MIXED[attribute]


def apply_penalty(options: MatchOptions, player: PlayerState) -> int:
    """Apply the penalty for an invalid claim; return the change of the score (rule R27)."""
    player.invalid_attempts += 1
    if options.penalty is Penalty.TIME:
        player.penalty_ms += options.time_penalty_seconds * 1000
    if options.penalty is Penalty.POINT and player.score > 0:
        player.score -= 1
        return -1
    return 0
