import pytest
from hypothesis import given
from hypothesis import strategies as st

from set_core import ALL_CARDS, Card, Color, Number, Shading, Shape
from set_core.notation import (
    NotationError,
    format_board,
    format_card,
    format_cards,
    parse_board,
    parse_card,
    parse_cards,
)

CARDS = st.sampled_from(ALL_CARDS)


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


@given(st.lists(CARDS))
def test_lists_of_cards_round_trip(cards: list[Card]) -> None:
    assert parse_cards(format_cards(cards)) == tuple(cards)


@given(st.lists(st.none() | CARDS, max_size=21))
def test_boards_round_trip(slots: list[Card | None]) -> None:
    assert parse_board(format_board(slots)) == tuple(slots)


def test_board_has_four_columns_and_shows_empty_slots() -> None:
    slots = [ALL_CARDS[0], None, ALL_CARDS[80], None, ALL_CARDS[40]]

    assert format_board(slots) == "1RSD ---- 3POO ----\n2GTS"


@given(st.text(max_size=6).filter(lambda text: text not in {format_card(card) for card in ALL_CARDS}))
def test_invalid_notation_is_rejected_in_one_line(text: str) -> None:
    with pytest.raises(
        NotationError, match=r"is no card: allowed is one each of 1 2 3, R G P, S T O, D S O"
    ) as caught:
        parse_card(text)
    assert "\n" not in str(caught.value)
