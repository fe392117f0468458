"""Exact numbers of boards, counted with the validator of the project and reduced by symmetry.

A symmetry maps any card to any other and keeps every Set, so each card is on equally many boards of a kind.
The tests count the boards with card 0, times 81, divided by the cards of a board. Likewise for later cards:
all second cards are equivalent, and so are all third cards that make no Set with the first two.
"""

from collections import Counter
from functools import cache
from itertools import combinations
from math import comb

import pytest

from set_core import any_set_among, find_sets_among
from set_core.rule import THIRD_ROWS
from tests.core.games import CAP
from tests.proof.ledger import Tries
from tests.proof.model import attributes

SET_FREE = {
    3: 84_240,
    4: 1_579_500,
    5: 22_441_536,
    6: 247_615_056,
    7: 2_144_076_480,
    8: 14_587_567_020,
}
SLOW = 7
SIX_CARDS = {0: 247_615_056, 1: 71_772_480, 2: 5_068_440, 3: 84_240}
FIRST_THREE = (0, 1, 3)
"""Three cards without a Set."""


def _closing(board: list[int], card: int) -> set[int]:
    """Return the cards that make a Set with this card and one on the board."""
    return {THIRD_ROWS[card][other] for other in board}


def _set_free_with(board: list[int], open_cards: list[int], missing: int) -> int:
    """Count the Set-free boards that extend a board by `missing` of the open cards, in their order."""
    if missing == 0:
        return 1
    if missing == 1:
        return len(open_cards)
    count = 0
    for place, card in enumerate(open_cards):
        closed = _closing(board, card)
        rest = [other for other in open_cards[place + 1 :] if other not in closed]
        count += _set_free_with([*board, card], rest, missing - 1)
    return count


def _set_free(size: int) -> int:
    """Count the boards of a size without a Set; every ordered Set-free triple is equivalent to (0, 1, 3)."""
    first = list(FIRST_THREE)
    assert not any_set_among(first)
    closed = {THIRD_ROWS[a][b] for a, b in combinations(first, 2)}
    rest = [card for card in range(81) if card not in closed and card not in first]
    ordered_triples = 81 * 80 * 78
    with_triple = _set_free_with(first, rest, size - 3)
    return with_triple * ordered_triples // (size * (size - 1) * (size - 2))


@pytest.mark.claim(
    "number of boards without a Set, of 3, 4, ... 8 cards: 84,240, 1,579,500, ... 14,587,567,020",
    "counted with the validator's tables, by symmetry from one triple without a Set",
)
@pytest.mark.parametrize(
    "size", [pytest.param(size, marks=[pytest.mark.proof] if size >= SLOW else []) for size in SET_FREE]
)
def test_number_of_set_free_boards(size: int, tried: Tries) -> None:
    tried(SET_FREE[size])
    assert _set_free(size) == SET_FREE[size]


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.claim(
    "number of boards of 6: 247,615,056 with 0 Sets, 71,772,480 with 1, 5,068,440 with 2, 84,240 with 3",
    "find_sets_among on each board of 6 with cards 0 and 1, times the number of pairs",
)
def test_boards_of_six_by_number_of_sets(tried: Tries) -> None:
    found: Counter[int] = Counter()
    for rest in combinations(range(2, 81), 4):
        found[len(find_sets_among((0, 1, *rest)))] += 1

    tried(found.total())
    assert {sets: boards * 3_240 // 15 for sets, boards in found.items()} == SIX_CARDS
    assert sum(SIX_CARDS.values()) == comb(81, 6)


Trio = tuple[int, int, int]


def _direction(found: Trio) -> tuple[int, ...]:
    """Return the direction of a Set; it is equal for parallel Sets."""
    step = tuple((y - x) % 3 for x, y in zip(attributes(found[0]), attributes(found[1]), strict=True))
    return min(step, tuple(-value % 3 for value in step))


def _mask(found: Trio) -> int:
    return sum(1 << card for card in found)


@cache
def _unions_of_four() -> Counter[int]:
    """Count the lists of four Sets by the number of covered cards; all first Sets are equivalent.

    For the second Set only the cards shared with the first and whether it is parallel to it matter.
    """
    sets = find_sets_among(range(81))
    masks = [_mask(found) for found in sets]
    first = sets[0]
    kinds = [(len({*first, *other}), _direction(other) == _direction(first)) for other in sets]
    unions: Counter[int] = Counter()
    for kind, times in Counter(kinds).items():
        pair = masks[0] | masks[kinds.index(kind)]
        sizes = Counter((pair | third | fourth).bit_count() for third in masks for fourth in masks)
        for cards, count in sizes.items():
            unions[cards] += count * times * len(sets)
    return unions


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.claim(
    "sum of (Sets on a board)^4 over all boards of 3, 6 and 12 cards: ..., 11,871,909,492,066,000",
    "union of each four Sets, the first two by symmetry (Project Euler 818 has the sums for 3 and 6)",
)
@pytest.mark.parametrize(("size", "total"), [(3, 1_080), (6, 159_690_960), (12, 11_871_909_492_066_000)])
def test_sums_of_fourth_powers(size: int, total: int, tried: Tries) -> None:
    unions = _unions_of_four()

    tried(unions.total())
    fitting = {cards: count for cards, count in unions.items() if cards <= size}
    assert sum(count * comb(81 - cards, size - cards) for cards, count in fitting.items()) == total


@pytest.mark.claim(
    "Sets on n = 12 to 21 random cards: mean C(n,3)/79, and variance 1571820/830053 for 12",
    "exact, from the number of cards that two Sets share: 0 or 1",
)
def test_mean_and_variance_match_the_listed_sets(tried: Tries) -> None:
    sets = [frozenset(found) for found in find_sets_among(range(81))]
    shared = Counter(len(sets[0] & other) for other in sets)

    tried(len(sets))
    assert shared == {3: 1, 1: 117, 0: 962}
    for size, numerator, denominator in ((12, 1_571_820, 830_053), (15, 405_600, 118_579)):
        mean_of_square = sum(
            1_080 * pairs * comb(81 - (6 - common), size - (6 - common)) for common, pairs in shared.items()
        )
        boards = comb(81, size)
        mean = 1_080 * comb(78, size - 3)
        assert (mean_of_square * boards - mean**2) * denominator == numerator * boards**2
        assert mean * 79 == comb(size, 3) * boards


@pytest.mark.claim(
    "20 cards without a Set exist; with any further card there is one",
    "20 cards from a search: no Set, and one with each of the 61 others",
)
def test_cap_of_twenty_cannot_be_extended(tried: Tries) -> None:
    assert not any_set_among(CAP)
    for card in set(range(81)) - set(CAP):
        tried()
        assert any_set_among([*CAP, card])
