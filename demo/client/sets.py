"""The rule of SET for clients: any two cards have exactly one third card."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CARDS = 81
ATTRIBUTES = ("Number", "Shape", "Color", "Shading")

Triple = tuple[int, int, int]


def digits(card: int) -> tuple[int, ...]:
    """Return the attributes of a card as digits 0..2: number, shape, color, shading."""
    return tuple(card // place % 3 for place in (27, 9, 3, 1))


def third_card(first: int, second: int) -> int:
    """Return the card that makes a Set with two cards: the digits of each attribute sum to 0 modulo 3."""
    third = 0
    for a, b in zip(digits(first), digits(second), strict=True):
        third = 3 * third + (-a - b) % 3
    return third


def is_set(cards: Triple) -> bool:
    """Return whether three different cards are a Set."""
    return third_card(cards[0], cards[1]) == cards[2]


def first_mixed_attribute(cards: Triple) -> str | None:
    """Return the first attribute that is neither all the same nor all different, or None."""
    columns = zip(*map(digits, cards), strict=True)
    mixed = (name for name, column in zip(ATTRIBUTES, columns, strict=True) if sum(column) % 3)
    return next(mixed, None)


def all_sets(cards: Iterable[int]) -> list[Triple]:
    """Return all Sets in these different cards, each once."""
    available = set(cards)
    triples = ((a, b, third_card(a, b)) for a, b in combinations(sorted(available), 2))
    return [triple for triple in triples if triple[2] > triple[1] and triple[2] in available]


def has_a_non_set(cards: Iterable[int]) -> bool:
    """Return whether three of these different cards are not a Set."""
    return not all(is_set(triple) for triple in combinations(cards, 3))


def a_non_set(cards: Iterable[int]) -> Triple:
    """Return three of these cards that are not a Set. Any four cards contain such three."""
    return next(triple for triple in combinations(cards, 3) if not is_set(triple))
