"""Cards and boards as text that people read and write: in logs, bug reports and the golden games.

A card is four characters, `2GTS` for two green striped squiggles: number `1 2 3`, color `R G P`, shading
`S T O` for solid, striped and open (the letters of set validator, "The Rule"), shape `D S O` for diamond,
squiggle and oval. An empty slot is `----`. A board is a line for each row of four slots, by index.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from set_core.cards import ALL_CARDS, Card

EMPTY_SLOT: Final = "----"
"""Stands for a slot without a card."""
_COLUMNS: Final = 4
_LETTERS: Final = ("123", "RGP", "STO", "DSO")


class NotationError(ValueError):
    """A text that is no card; the message says what is allowed."""


def format_card(card: Card) -> str:
    """The four characters of a card."""
    shown = card.attributes
    places = (shown.number - 1, shown.color, shown.shading, shown.shape)
    return "".join(letters[place] for letters, place in zip(_LETTERS, places, strict=True))


_BY_NAME: Final = {format_card(card): card for card in ALL_CARDS}


def parse_card(text: str) -> Card:
    """The card with these four characters.

    Raises:
        NotationError: there is none.
    """
    card = _BY_NAME.get(text)
    if card is None:
        allowed = ", ".join(" ".join(letters) for letters in _LETTERS)
        raise NotationError(f"{text!r} is no card: allowed is one each of {allowed}, such as 2GTS")
    return card


def format_cards(cards: Iterable[Card]) -> str:
    """Cards one space apart."""
    return " ".join(map(format_card, cards))


def parse_cards(text: str) -> tuple[Card, ...]:
    """The cards in a text that spaces or lines part.

    Raises:
        NotationError: a word is no card.
    """
    return tuple(map(parse_card, text.split()))


def format_board(slots: Sequence[Card | None]) -> str:
    """A board, a line for each row of four slots."""
    words = [EMPTY_SLOT if card is None else format_card(card) for card in slots]
    rows = (words[start : start + _COLUMNS] for start in range(0, len(words), _COLUMNS))
    return "\n".join(map(" ".join, rows))


def parse_board(text: str) -> tuple[Card | None, ...]:
    """The slots of a board, by index.

    Raises:
        NotationError: a word is neither a card nor an empty slot.
    """
    return tuple(None if word == EMPTY_SLOT else parse_card(word) for word in text.split())
