"""Claims that players received a result for, compared with the records of their games."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from match_handler.match.record import Record

SAVED_WITHIN_S = 2.0
"""A result that players received this time before a restart must not be missing. The interval is 20 ms; the
rest is for a machine under load."""

Claim = tuple[int, tuple[int, ...]]
"""The seat and the sorted card ids of a claim."""


class Restart(NamedTuple):
    """A restart of Nakama: when it was killed or stopped first, and when it was started last, in seconds."""

    killed_at: float
    started_at: float


class Judged(NamedTuple):
    """A claim whose result a player has received.

    Attributes:
        at: The time of the first message with the result, on the monotonic clock, in seconds.
        claim: The seat and the cards.
    """

    at: float
    claim: Claim


def claim_of(seat: int, cards: Iterable[int]) -> Claim:
    """Return a claim in the form in which claims are compared."""
    return seat, tuple(sorted(cards))


def recorded_claims(record: Record) -> list[Claim]:
    """Return the claims of a record, in order."""
    return [
        claim_of(line.seat, line.card_ids)
        for line in record.log
        if line.seat is not None and line.card_ids is not None
    ]


def unexplained(lost: Iterable[Judged], restarts: Sequence[Restart]) -> list[Judged]:
    """Return the missing results that were not received shortly before or during a restart."""
    return [
        each
        for each in lost
        if not any(restart.killed_at - SAVED_WITHIN_S < each.at < restart.started_at for restart in restarts)
    ]


def missing(judged: Iterable[Judged], recorded: Iterable[Claim]) -> list[Judged]:
    """Return the results that are in no record, earliest first.

    A player can claim the same cards again after the first claim was lost. Then the last one is recorded.
    """
    left = Counter(recorded)
    found = []
    for each in sorted(judged, reverse=True):
        if left[each.claim]:
            left[each.claim] -= 1
        else:
            found.append(each)
    return found[::-1]
