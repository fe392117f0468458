"""Known exact numbers of the game, counted with the code under test."""

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from set_core import ALL_CARDS, any_set_among, find_sets_among

SETS = find_sets_among(range(81))


def test_1080_sets_are_one_triple_in_79() -> None:
    assert len(SETS) == 1_080
    assert Fraction(len(SETS), comb(81, 3)) == Fraction(1, 79)


def test_every_card_is_in_40_sets() -> None:
    count = Counter(card for found in SETS for card in found)

    assert set(count.values()) == {40}
    assert len(count) == 81


def test_every_pair_is_in_exactly_one_set() -> None:
    count = Counter(pair for found in SETS for pair in combinations(found, 2))

    assert set(count.values()) == {1}
    assert len(count) == comb(81, 2) == 3_240


def test_sets_by_number_of_different_attributes() -> None:
    def differing(found: tuple[int, int, int]) -> int:
        first, second = (ALL_CARDS[card].attributes for card in found[:2])
        return sum(
            getattr(first, name) != getattr(second, name) for name in ("number", "shape", "color", "shading")
        )

    assert Counter(map(differing, SETS)) == {1: 108, 2: 324, 3: 432, 4: 216}


@pytest.mark.parametrize(("size", "sets"), [(9, 12), (27, 117)])
def test_sets_within_a_plane_and_a_hyperplane(size: int, sets: int) -> None:
    assert len(find_sets_among(range(size))) == sets


def test_twelve_cards_hold_up_to_14_sets() -> None:
    """A plane has 12 Sets, and three more cards add at most two."""
    best = max(len(find_sets_among([*range(9), *more])) for more in combinations(range(9, 27), 3))

    assert best == 14


def test_set_free_collections_of_3_and_4_cards() -> None:
    assert sum(not any_set_among(ids) for ids in combinations(range(81), 3)) == 84_240
    assert _set_free_fours() == 1_579_500


def _set_free_fours() -> int:
    """Count the Set-free collections of four cards. By symmetry these are those with card 0, times 81 / 4."""
    with_first = sum(not any_set_among((0, *others)) for others in combinations(range(1, 81), 3))
    return with_first * 81 // 4
