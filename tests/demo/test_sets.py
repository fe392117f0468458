from itertools import combinations

import pytest

from demo.client.sets import (
    CARDS,
    a_non_set,
    all_sets,
    digits,
    first_mixed_attribute,
    has_a_non_set,
    is_set,
    third_card,
)


def literally_a_set(cards: tuple[int, ...]) -> bool:
    return all(len(set(column)) in (1, 3) for column in zip(*map(digits, cards), strict=True))


def test_deck_has_1080_sets() -> None:
    assert len(all_sets(range(CARDS))) == 1080


def test_every_triple_follows_the_rule() -> None:
    for triple in combinations(range(CARDS), 3):
        assert is_set(triple) == literally_a_set(triple) == (first_mixed_attribute(triple) is None)


def test_two_cards_need_a_third_different_card() -> None:
    for first, second in combinations(range(CARDS), 2):
        assert third_card(first, second) not in (first, second)


@pytest.mark.parametrize(
    ("cards", "attribute"),
    [((0, 1, 30), "Number"), ((0, 27, 63), "Shape"), ((0, 27, 57), "Color"), ((0, 27, 55), "Shading")],
)
def test_first_mixed_attribute_is_named(cards: tuple[int, int, int], attribute: str) -> None:
    assert first_mixed_attribute(cards) == attribute


def test_any_four_cards_contain_three_that_are_no_set() -> None:
    assert not is_set(a_non_set([0, 1, 2, 3]))


def test_board_of_a_single_set_has_no_invalid_triple() -> None:
    assert not has_a_non_set([75, 64, 62])
    assert not has_a_non_set([])
    assert has_a_non_set([75, 64, 62, 0])
    assert has_a_non_set([0, 1, 3])
