"""Text notation of cards and boards, for the golden games.

A card has four characters, such as `2GTS` for two green striped squiggles: number `1 2 3`, color `R G P`,
shading `S T O` for solid, striped and open, shape `D S O` for diamond, squiggle and oval (rule R1). An empty
slot is `----`. A board has one line for each row of four slots (rule R11).
"""

from typing import Final

from set_core.cards import ALL_CARDS, Card

EMPTY_SLOT: Final = "----"
"""The notation of an empty slot."""
_LETTERS: Final = ("123", "RGP", "STO", "DSO")


class NotationError(ValueError):
    """A text that is not a card. The message contains the allowed characters."""


def format_card(card: Card) -> str:
    """Return the four characters of a card."""
    attributes = card.attributes
    indices = (attributes.number - 1, attributes.color, attributes.shading, attributes.shape)
    return "".join(letters[index] for letters, index in zip(_LETTERS, indices, strict=True))


_BY_NAME: Final = {format_card(card): card for card in ALL_CARDS}


def parse_card(text: str) -> Card:
    """Return the card with these four characters.

    Raises:
        NotationError: no card has this notation.
    """
    card = _BY_NAME.get(text)
    if card is None:
        allowed = ", ".join(" ".join(letters) for letters in _LETTERS)
        raise NotationError(f"{text!r} is no card: allowed is one each of {allowed}, such as 2GTS")
    return card


def parse_cards(text: str) -> tuple[Card, ...]:
    """Return the cards in a text with spaces or line breaks between them.

    Raises:
        NotationError: a word is not a card.
    """
    return tuple(map(parse_card, text.split()))


def parse_board(text: str) -> tuple[Card | None, ...]:
    """Return the slots of a board, by index.

    Raises:
        NotationError: a word is neither a card nor an empty slot.
    """
    return tuple(None if word == EMPTY_SLOT else parse_card(word) for word in text.split())
