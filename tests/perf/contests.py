"""The compared implementations: the validator and slower reference implementations."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, TypeVar

from set_core import ALL_CARDS, Card, SetValidator
from tests.core import literal
from tests.core.boards import set_free
from tests.perf import literal_ints, pairs
from tests.perf.literal_ints import Values

_BOARDS: Final = 40
_TRIPLES: Final = 2_000
_OURS: Final = SetValidator()

Hand = TypeVar("Hand")
Hands = Sequence[Sequence[Card]]
Work = Callable[[], list[object]]


@dataclass(frozen=True)
class Contest:
    """One kind of work, repeated `size` times, in several implementations."""

    name: str
    size: int
    ways: dict[str, Work]
    target: float
    """The required ratio of "literal" to "ours"."""


def contests(chance: random.Random) -> list[Contest]:
    return [_validate(chance), _find_all(chance), _any(chance)]


def _validate(chance: random.Random) -> Contest:
    hands = _half_valid_triples(chance)
    ways = {
        "ours": _over(_OURS.validate, hands),
        "literal": _over(literal.validate, hands),
        "literal, ints": _over(literal_ints.validate, _as_ints(hands)),
    }
    return Contest("validate with reason", len(hands), ways, 3)


def _find_all(chance: random.Random) -> Contest:
    hands = [chance.sample(ALL_CARDS, 21) for _ in range(_BOARDS)]
    ways = {
        "ours": _over(_OURS.find_all_sets, hands),
        "literal": _over(literal.find_all_sets, hands),
        "literal, ints": _over(literal_ints.find_all_sets, _as_ints(hands)),
        "pairs": _over(pairs.find_all_sets, hands),
    }
    return Contest("find_all_sets(21)", len(hands), ways, 25)


def _any(chance: random.Random) -> Contest:
    # Such boards are slow to find, so each is used in several orders.
    found = [[ALL_CARDS[card] for card in set_free(chance, 20)] for _ in range(_BOARDS // 5)]
    hands = [chance.sample(board, 20) for board in found for _ in range(5)]
    ways = {
        "ours": _over(_OURS.any_set_exists, hands),
        "literal": _over(literal.any_set_exists, hands),
        "literal, ints": _over(literal_ints.any_set_exists, _as_ints(hands)),
        "pairs": _over(pairs.any_set_exists, hands),
    }
    return Contest("any_set_exists, 20 Set-free", len(hands), ways, 30)


def _over(way: Callable[[Hand], object], hands: Sequence[Hand]) -> Work:
    return lambda: [way(hand) for hand in hands]


def _as_ints(hands: Hands) -> list[list[Values]]:
    return [[pairs.values(card) for card in hand] for hand in hands]


def _half_valid_triples(chance: random.Random) -> list[list[Card]]:
    """Return triples in random order of which about half are Sets."""
    every = [list(triple) for triple in combinations(ALL_CARDS, 3)]
    valid = [triple for triple in every if literal.validate(triple).is_valid]
    triples = chance.choices(every, k=_TRIPLES // 2) + chance.choices(valid, k=_TRIPLES // 2)
    chance.shuffle(triples)
    return triples
