import pytest
from hypothesis import given
from hypothesis import strategies as st

from set_core import ALL_CARDS, Card, Color, Number, Shading, Shape
from set_core.notation import (
    NotationError,
    format_card,
    parse_board,
    parse_card,
    parse_cards,
)


def test_two_green_striped_squiggles() -> None:
    assert format_card(Card.of(Number.TWO, Shape.SQUIGGLE, Color.GREEN, Shading.STRIPED)) == "2GTS"


@pytest.mark.parametrize(
    ("text", "card_id"), [("1RSD", 0), ("1RTD", 1), ("1GSD", 3), ("1RSS", 9), ("3POO", 80)]
)
def test_each_letter_is_one_attribute(text: str, card_id: int) -> None:
    assert parse_card(text).id == card_id


def test_81_cards_have_81_names_that_parse_back() -> None:
    names = [format_card(card) for card in ALL_CARDS]

    assert len(set(names)) == 81
    assert [parse_card(name) for name in names] == list(ALL_CARDS)


def test_board_has_cards_and_empty_slots_in_rows() -> None:
    slots = (ALL_CARDS[0], None, ALL_CARDS[80], None, ALL_CARDS[40])

    assert parse_board("1RSD ---- 3POO ----\n2GTS") == slots


def test_words_of_a_text_are_cards() -> None:
    assert parse_cards("1RSD\n3POO") == (ALL_CARDS[0], ALL_CARDS[80])


@given(st.text(max_size=6).filter(lambda text: text not in {format_card(card) for card in ALL_CARDS}))
def test_invalid_notation_is_rejected_in_one_line(text: str) -> None:
    with pytest.raises(
        NotationError, match=r"is no card: allowed is one each of 1 2 3, R G P, S T O, D S O"
    ) as caught:
        parse_card(text)
    assert "\n" not in str(caught.value)
