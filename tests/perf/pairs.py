"""The published approach of completing each pair of cards to a Set, over plain tuples: a second reference.

It is a new implementation of the best-known algorithm of public Python solvers (such as recipe 578508 of
ActiveState).
"""

from collections.abc import Sequence
from itertools import combinations

from set_core import Card
from tests.perf.literal_ints import Values


def values(card: Card) -> Values:
    shown = card.attributes
    return (shown.number - 1, shown.shape, shown.color, shown.shading)


def _third(a: Values, b: Values) -> Values:
    return (-(a[0] + b[0]) % 3, -(a[1] + b[1]) % 3, -(a[2] + b[2]) % 3, -(a[3] + b[3]) % 3)


def find_all_sets(cards: Sequence[Card]) -> list[tuple[Card, Card, Card]]:
    held = [values(card) for card in cards]
    place_of = {value: place for place, value in enumerate(held)}
    found = []
    for i, j in combinations(range(len(cards)), 2):
        k = place_of.get(_third(held[i], held[j]), 0)
        if k > j:
            found.append((cards[i], cards[j], cards[k]))
    return found


def any_set_exists(cards: Sequence[Card]) -> bool:
    held = [values(card) for card in cards]
    present = set(held)
    return any(_third(a, b) in present for a, b in combinations(held, 2))
