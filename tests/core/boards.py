"""Boards and decks that games seldom make by themselves."""

import random
from collections.abc import Sequence

from set_core import ALL_CARDS
from tests.core import literal

_PATIENCE = 3_000


def third(a: int, b: int) -> int:
    """The card that makes a Set with two others: per base-3 digit, the three add up to a multiple of 3."""
    return sum((-(a // place) - (b // place)) % 3 * place for place in (1, 3, 9, 27))


def set_free(chance: random.Random, size: int) -> list[int]:
    """Ids of random cards without a Set; at most 20 are possible."""
    while True:
        found = _Search(size).extend([], chance.sample(range(81), 81))
        if found:
            return found


class _Search:
    """Adds card after card, and gives up after a while because a fresh start is quicker than a dead end."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.patience = _PATIENCE

    def extend(self, chosen: list[int], open_cards: list[int]) -> list[int]:
        self.patience -= 1
        if len(chosen) == self.size:
            return chosen
        while open_cards and self.patience > 0 and len(chosen) + len(open_cards) >= self.size:
            card = open_cards.pop()
            closed = {third(card, other) for other in chosen}
            found = self.extend([*chosen, card], [other for other in open_cards if other not in closed])
            if found:
                return found
        return []


def deck_order(*first: int) -> list[int]:
    """All 81 ids: the given ones on top, then the others ascending."""
    return [*first, *(card for card in range(81) if card not in first)]


def has_set(ids: Sequence[int]) -> bool:
    return literal.any_set_exists([ALL_CARDS[card] for card in ids])
