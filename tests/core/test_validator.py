from collections import Counter
from itertools import combinations

import pytest

from set_core import (
    ALL_CARDS,
    Attribute,
    Card,
    Color,
    Number,
    SetResult,
    SetValidator,
    Shading,
    Shape,
    any_set_among,
    find_sets_among,
    validator,
)
from set_core.rule import THIRD_ROWS
from set_core.validator import mixed_among
from tests.core import literal
from tests.core.boards import third
from tests.core.games import CAP

VALIDATOR = SetValidator()
SYMBOLS = {"1": 1, "2": 2, "3": 3, "◇": 0, "~": 1, "○": 2, "R": 0, "G": 1, "P": 2, "S": 0, "T": 1, "O": 2}

ROWS = [
    ("1 1 1", "◇ ◇ ◇", "R R R", "S S S", None),
    ("1 2 3", "◇ ~ ○", "R G P", "S T O", None),
    ("1 1 1", "◇ ~ ○", "R G P", "S T O", None),
    ("1 1 2", "◇ ~ ○", "R G P", "S T O", "Number is mixed"),
    ("1 2 3", "◇ ~ ○", "R R G", "S T O", "Color is mixed"),
    ("1 2 3", "◇ ~ ○", "R G P", "S S O", "Shading is mixed"),
    ("1 2 3", "~ ~ ○", "R G P", "S T O", "Shape is mixed"),
    ("2 2 2", "○ ○ ○", "P P P", "T T T", None),
    # These rows are from the rule texts.
    ("1 1 1", "◇ ◇ ◇", "R G P", "S S S", None),
    ("1 2 3", "◇ ~ ○", "R G P", "S S S", None),
]


def hand(*columns: str) -> list[Card]:
    values = zip(*([SYMBOLS[symbol] for symbol in column.split()] for column in columns), strict=True)
    return [Card.of(Number(n), Shape(s), Color(c), Shading(f)) for n, s, c, f in values]


@pytest.mark.parametrize(("number", "shape", "color", "shading", "reason"), ROWS)
def test_rows_of_the_rule_text(number: str, shape: str, color: str, shading: str, reason: str | None) -> None:
    result = VALIDATOR.validate(hand(number, shape, color, shading))

    assert result == SetResult(is_valid=reason is None, invalid_reason=reason)


def test_same_card_three_times_satisfies_the_rule() -> None:
    assert VALIDATOR.validate([Card(0)] * 3).is_valid


def test_reason_is_the_first_mixed_attribute_in_text_order() -> None:
    everything = hand("1 1 2", "◇ ◇ ~", "R R G", "S S T")
    but_number = hand("1 1 1", "◇ ◇ ~", "R R G", "S S T")
    but_shape = hand("1 1 1", "◇ ◇ ◇", "R R G", "S S T")

    reasons = [VALIDATOR.validate(cards).mixed_attribute for cards in (everything, but_number, but_shape)]
    assert reasons == [Attribute.NUMBER, Attribute.SHAPE, Attribute.COLOR]


def test_mixed_shading_alone_is_detected() -> None:
    """Common mistake: color is checked twice and shading never. Also fault F17 with its X, Y, X."""
    result = VALIDATOR.validate(hand("1 1 1", "◇ ◇ ◇", "R R R", "S T S"))

    assert result == SetResult(is_valid=False, invalid_reason="Shading is mixed")
    assert result.mixed_attribute is Attribute.SHADING


def test_set_has_no_mixed_attribute() -> None:
    assert VALIDATOR.validate([Card(0), Card(1), Card(2)]).mixed_attribute is None


@pytest.mark.parametrize("count", [0, 1, 2, 4, 21])
def test_wrong_card_count_raises(count: int) -> None:
    with pytest.raises(ValueError, match=f"{count} cards given: exactly 3 are required"):
        VALIDATOR.validate(ALL_CARDS[:count])


@pytest.mark.fault("F17")
def test_all_85320_triples_match_the_literal_definition() -> None:
    count = Counter[str | None]()
    for cards in combinations(ALL_CARDS, 3):
        result = VALIDATOR.validate(cards)
        assert result == literal.validate(cards)
        count[result.invalid_reason] += 1

    assert count == {
        "Number is mixed": 56_862,
        "Shape is mixed": 18_954,
        "Color is mixed": 6_318,
        "Shading is mixed": 2_106,
        None: 1_080,
    }


def test_ids_give_the_same_result_as_cards() -> None:
    for a, b, c in combinations(range(0, 81, 2), 3):
        assert mixed_among(a, b, c) is VALIDATOR.validate([Card(a), Card(b), Card(c)]).mixed_attribute


@pytest.mark.parametrize("size", [3, 6, 9, 12, 15, 18, 21])
def test_find_all_sets_for_every_board_size(size: int) -> None:
    for start in range(0, 60, 3):
        cards = ALL_CARDS[start : start + size]
        assert VALIDATOR.find_all_sets(cards) == literal.find_all_sets(cards)


def test_board_of_one_set_holds_that_set() -> None:
    cards = hand("1 2 3", "◇ ~ ○", "R G P", "S T O")

    assert VALIDATOR.find_all_sets(cards) == [tuple(cards)]
    assert VALIDATOR.any_set_exists(cards)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_than_three_cards_hold_no_set(count: int) -> None:
    cards = ALL_CARDS[:count]

    assert VALIDATOR.find_all_sets(cards) == []
    assert not VALIDATOR.any_set_exists(cards)


@pytest.mark.fault("F17")
def test_repeated_single_card_is_not_a_set() -> None:
    """Fault F17: a search whose second index starts at the first accepts any single card as a Set."""
    assert not any_set_among([5, 5])
    assert not any_set_among([5, 5, 6])
    assert find_sets_among([5, 5, 6]) == []


def test_repeated_cards_count_as_cards() -> None:
    assert find_sets_among([5, 5, 5, 5]) == [(5, 5, 5)] * 4
    assert find_sets_among([0, 1, 1, 2]) == [(0, 1, 2), (0, 1, 2)]
    assert any_set_among([0, 0, 1, 2])


def test_boards_larger_than_the_deck_are_searched() -> None:
    assert len(find_sets_among([*CAP, *CAP, *CAP])) == len(CAP)


@pytest.mark.fault("F28")
def test_full_deck_holds_1080_sets_each_once() -> None:
    found = find_sets_among(range(81))

    assert len(found) == len({frozenset(ids) for ids in found}) == 1_080


def test_sets_are_in_the_order_of_positions() -> None:
    """Fault F28: all implementations return the same list in one canonical order."""
    ids = [77, 3, 54, 41, 12, 9, 0, 66, 27, 80, 40, 1, 2, 13, 30]

    places = [tuple(ids.index(card) for card in found) for found in find_sets_among(ids)]
    assert places == sorted(places)
    assert all(i < j < k for i, j, k in places)


@pytest.mark.fault("F28")
def test_board_documented_without_a_set_has_none() -> None:
    cards = [ALL_CARDS[card] for card in CAP]

    assert literal.find_all_sets(cards) == []
    assert VALIDATOR.find_all_sets(cards) == []
    assert not VALIDATOR.any_set_exists(cards)


class CountedRows:
    """Table of third cards that counts its look-ups."""

    def __init__(self) -> None:
        self.looked_up = 0

    def __getitem__(self, card: int) -> bytes:
        self.looked_up += 1
        return THIRD_ROWS[card]


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> CountedRows:
    counted = CountedRows()
    monkeypatch.setattr(validator, "THIRD_ROWS", counted)
    return counted


def test_any_set_exists_stops_at_the_first_set(rows: CountedRows) -> None:
    board = [CAP[0], CAP[1], *CAP[2:5], third(CAP[0], CAP[1]), *CAP[5:15]]

    assert any_set_among(board)
    assert rows.looked_up == 1


def test_any_set_exists_checks_every_card_before_false(rows: CountedRows) -> None:
    assert not any_set_among(CAP)
    assert rows.looked_up == len(CAP)


def test_any_set_exists_does_not_find_all_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        pytest.fail("any_set_exists enumerated all Sets")

    monkeypatch.setattr(validator, "_find", forbidden)

    assert VALIDATOR.any_set_exists(ALL_CARDS[:21])
