"""The literal definition optimized: no enums, no result objects, cards as tuples of four integers.

It shows how much of a ratio is due to the slow access to a card's attributes.
"""

from collections.abc import Sequence

Values = tuple[int, int, int, int]


def _is_valid_attribute(x: int, y: int, z: int) -> bool:
    return x == y == z or x != y != z != x


def validate(cards: Sequence[Values]) -> str | None:
    a, b, c = cards
    if not _is_valid_attribute(a[0], b[0], c[0]):
        return "Number is mixed"
    if not _is_valid_attribute(a[1], b[1], c[1]):
        return "Shape is mixed"
    if not _is_valid_attribute(a[2], b[2], c[2]):
        return "Color is mixed"
    if not _is_valid_attribute(a[3], b[3], c[3]):
        return "Shading is mixed"
    return None


def find_all_sets(cards: Sequence[Values]) -> list[tuple[Values, ...]]:
    count = len(cards)
    return [
        (cards[i], cards[j], cards[k])
        for i in range(count - 2)
        for j in range(i + 1, count - 1)
        for k in range(j + 1, count)
        if validate((cards[i], cards[j], cards[k])) is None
    ]


def any_set_exists(cards: Sequence[Values]) -> bool:
    count = len(cards)
    for i in range(count - 2):
        for j in range(i + 1, count - 1):
            for k in range(j + 1, count):
                if validate((cards[i], cards[j], cards[k])) is None:
                    return True
    return False
