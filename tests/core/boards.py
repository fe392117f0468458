"""Boards and decks that random play rarely produces."""

import random
from collections.abc import Sequence

from set_core import ALL_CARDS
from tests.core import literal

_PATIENCE = 3_000


def third(a: int, b: int) -> int:
    """Return the card that completes a Set: the base-3 digits of the three ids sum to multiples of 3."""
    return sum((-(a // place) - (b // place)) % 3 * place for place in (1, 3, 9, 27))


def set_free(chance: random.Random, size: int) -> list[int]:
    """Return random card ids without a Set; the maximum size is 20."""
    while True:
        found = _Search(size).extend([], chance.sample(range(81), 81))
        if found:
            return found


class _Search:
    """Random search that adds cards and stops after a step limit: a restart is faster than a dead end."""

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
    """Return all 81 ids: the given ids first, the others ascending."""
    return [*first, *(card for card in range(81) if card not in first)]


def has_set(ids: Sequence[int]) -> bool:
    return literal.any_set_exists([ALL_CARDS[card] for card in ids])
