"""Expected decisions of the rules service: results of claims and the standings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from demo.client.sets import Triple, first_mixed_attribute
from demo.client.vocabulary import End, Reason, Status

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from demo.client.messages import Options, Player, Standing

STALE_MESSAGE = "Cards no longer on the board"
NO_ATTRIBUTE = "ATTRIBUTE_UNSPECIFIED"
WITHOUT_WINNER = (End.ABANDONED, End.TERMINATED)


class Judgement(NamedTuple):
    """Expected result of a claim."""

    valid: bool
    reason: Reason
    mixed_attribute: str
    message: str
    score_delta: int
    invalid_attempts: int


def judge(board: Collection[int], cards: Triple, player: Player, options: Options) -> Judgement:
    """Return the expected result of a claim of three different cards."""
    if not all(card in board for card in cards):
        counts = options.penalize_stale_claims
        penalty = _penalty(player, options) if counts else 0
        return _invalid(Reason.STALE, NO_ATTRIBUTE, STALE_MESSAGE, penalty, int(counts))
    mixed = first_mixed_attribute(cards)
    if mixed is None:
        return Judgement(
            valid=True,
            reason=Reason.NONE,
            mixed_attribute=NO_ATTRIBUTE,
            message="",
            score_delta=1,
            invalid_attempts=0,
        )
    attribute = f"ATTRIBUTE_{mixed.upper()}"
    return _invalid(Reason.NOT_A_SET, attribute, f"{mixed} is mixed", _penalty(player, options), 1)


def after(player: Player, judgement: Judgement) -> Player:
    """Return the player after a claim."""
    return msgspec.structs.replace(
        player,
        score=player.score + judgement.score_delta,
        sets_collected=player.sets_collected + judgement.valid,
        invalid_attempts=player.invalid_attempts + judgement.invalid_attempts,
    )


def standings(players: Iterable[Player], options: Options) -> list[tuple[int, int]]:
    """Return (rank, seat) of all players, best first. Equal players share a rank and are in seat order."""
    ranked = sorted(players, key=lambda player: (_sort_key(player, options), player.seat))
    keys = [_sort_key(player, options) for player in ranked]
    return [(keys.index(key) + 1, player.seat) for key, player in zip(keys, ranked, strict=True)]


def winner(reason: End, lines: list[Standing]) -> tuple[int | None, bool]:
    """Return the seat of the winner, if any, and whether the game is a draw."""
    first = [line.player for line in lines if line.rank == 1 and line.player.status != Status.FORFEITED]
    if reason in WITHOUT_WINNER or not first:
        return None, False
    return (first[0].seat, False) if len(first) == 1 else (None, True)


def _invalid(reason: Reason, attribute: str, message: str, penalty: int, counted: int) -> Judgement:
    return Judgement(
        valid=False,
        reason=reason,
        mixed_attribute=attribute,
        message=message,
        score_delta=-penalty,
        invalid_attempts=counted,
    )


def _penalty(player: Player, options: Options) -> int:
    return min(1, player.score) if options.penalty == "PENALTY_POINT" else 0


def _sort_key(player: Player, options: Options) -> tuple[bool, int, int]:
    mistakes = player.invalid_attempts if options.tie_break_fewest_invalid else 0
    return (player.status == Status.FORFEITED, -player.sets_collected, mistakes)
