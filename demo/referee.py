"""What a player expects of the referee: the judgement of a claim, the ranking at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from demo.sets import Triple, first_mixed_attribute
from demo.vocabulary import End, Reason, Status

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from demo.messages import Options, Player, Standing

STALE_MESSAGE = "Cards no longer on the board"
UNMIXED = "ATTRIBUTE_UNSPECIFIED"
NOBODY_WINS = (End.ABANDONED, End.TERMINATED)


class Judgement(NamedTuple):
    """What becomes of a claim."""

    valid: bool
    reason: Reason
    mixed_attribute: str
    message: str
    score_delta: int
    invalid_attempts: int


def judge(board: Collection[int], cards: Triple, player: Player, options: Options) -> Judgement:
    """Judge a claim of three different cards by what is on the board."""
    if not all(card in board for card in cards):
        counts = options.penalize_stale_claims
        price = _price(player, options) if counts else 0
        return _invalid(Reason.STALE, UNMIXED, STALE_MESSAGE, price, int(counts))
    mixed = first_mixed_attribute(cards)
    if mixed is None:
        return Judgement(
            valid=True,
            reason=Reason.NONE,
            mixed_attribute=UNMIXED,
            message="",
            score_delta=1,
            invalid_attempts=0,
        )
    attribute = f"ATTRIBUTE_{mixed.upper()}"
    return _invalid(Reason.NOT_A_SET, attribute, f"{mixed} is mixed", _price(player, options), 1)


def after(player: Player, judgement: Judgement) -> Player:
    """Return the claimant as the judgement leaves them."""
    return msgspec.structs.replace(
        player,
        score=player.score + judgement.score_delta,
        sets_collected=player.sets_collected + judgement.valid,
        invalid_attempts=player.invalid_attempts + judgement.invalid_attempts,
    )


def standings(players: Iterable[Player], options: Options) -> list[tuple[int, int]]:
    """Return (rank, seat) of everybody, best first; equals share a rank and keep the order of seats."""
    ranked = sorted(players, key=lambda player: (_merit(player, options), player.seat))
    merits = [_merit(player, options) for player in ranked]
    return [(merits.index(merit) + 1, player.seat) for merit, player in zip(merits, ranked, strict=True)]


def winner(reason: End, placed: list[Standing]) -> tuple[int | None, bool]:
    """Return the winner's seat, if there is one, and whether it is a draw."""
    first = [line.player for line in placed if line.rank == 1 and line.player.status != Status.FORFEITED]
    if reason in NOBODY_WINS or not first:
        return None, False
    return (first[0].seat, False) if len(first) == 1 else (None, True)


def _invalid(reason: Reason, attribute: str, message: str, price: int, counted: int) -> Judgement:
    return Judgement(
        valid=False,
        reason=reason,
        mixed_attribute=attribute,
        message=message,
        score_delta=-price,
        invalid_attempts=counted,
    )


def _price(player: Player, options: Options) -> int:
    return min(1, player.score) if options.penalty == "PENALTY_POINT" else 0


def _merit(player: Player, options: Options) -> tuple[bool, int, int]:
    mistakes = player.invalid_attempts if options.tie_break_fewest_invalid else 0
    return (player.status == Status.FORFEITED, -player.sets_collected, mistakes)
