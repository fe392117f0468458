"""The rule exactly as the rule text defines it, without `set_core`: reference for tests and benchmarks."""

from collections.abc import Sequence
from itertools import combinations

from set_core import Card, SetResult


def is_valid_attribute(x: object, y: object, z: object) -> bool:
    all_same = x == y and y == z
    all_different = x != y and y != z and x != z  # noqa: PLR1714 - the wording of the rule text
    return all_same or all_different


def validate(cards: Sequence[Card]) -> SetResult:
    if len(cards) != 3:
        raise ValueError("Exactly 3 cards are required.")
    a, b, c = cards[0].attributes, cards[1].attributes, cards[2].attributes
    if not is_valid_attribute(a.number, b.number, c.number):
        return SetResult(is_valid=False, invalid_reason="Number is mixed")
    if not is_valid_attribute(a.shape, b.shape, c.shape):
        return SetResult(is_valid=False, invalid_reason="Shape is mixed")
    if not is_valid_attribute(a.color, b.color, c.color):
        return SetResult(is_valid=False, invalid_reason="Color is mixed")
    if not is_valid_attribute(a.shading, b.shading, c.shading):
        return SetResult(is_valid=False, invalid_reason="Shading is mixed")
    return SetResult(is_valid=True, invalid_reason=None)


def find_all_sets(cards: Sequence[Card]) -> list[tuple[Card, Card, Card]]:
    return [triple for triple in combinations(cards, 3) if validate(triple).is_valid]


def any_set_exists(cards: Sequence[Card]) -> bool:
    return any(validate(triple).is_valid for triple in combinations(cards, 3))
