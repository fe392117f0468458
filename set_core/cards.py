"""The 81 cards: four attributes with three values each, and card ids 0..80."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final, NoReturn, Self, final

from set_core.rule import PACKED

CARD_COUNT: Final = 81
"""The number of cards (rule R1)."""


class Attribute(StrEnum):
    """The four attributes, in the order of validation (rule R8)."""

    NUMBER = "NUMBER"
    SHAPE = "SHAPE"
    COLOR = "COLOR"
    SHADING = "SHADING"


class Number(IntEnum):
    """The number of symbols; its values start at 1, not at 0 (rule R1)."""

    ONE = 1
    TWO = 2
    THREE = 3


class Shape(IntEnum):
    """The shape of the symbols (rule R1)."""

    DIAMOND = 0
    SQUIGGLE = 1
    OVAL = 2


class Color(IntEnum):
    """The color of the symbols (rule R1)."""

    RED = 0
    GREEN = 1
    PURPLE = 2


class Shading(IntEnum):
    """The fill of the symbols (rule R1)."""

    SOLID = 0
    STRIPED = 1
    OPEN = 2


@dataclass(frozen=True, slots=True)
class CardAttributes:
    """The four attribute values of one card.

    The constructor converts plain integers to the enums.

    Raises:
        ValueError: a value is not in its enum.
    """

    number: Number
    shape: Shape
    color: Color
    shading: Shading

    def __post_init__(self) -> None:
        for name, kind in _ATTRIBUTE_TYPES.items():
            object.__setattr__(self, name, kind(getattr(self, name)))

    @classmethod
    def from_id(cls, card_id: int) -> Self:
        """Return the attributes of the card with this id, 0..80 (rule R2)."""
        return cls(
            Number(card_id // 27 + 1),
            Shape(card_id % 27 // 9),
            Color(card_id % 9 // 3),
            Shading(card_id % 3),
        )

    @property
    def id(self) -> int:
        """The id 0..80 of the card with these attributes (rule R2)."""
        return (self.number - 1) * 27 + self.shape * 9 + self.color * 3 + self.shading


_ATTRIBUTE_TYPES: Final[dict[str, type[IntEnum]]] = {
    "number": Number,
    "shape": Shape,
    "color": Color,
    "shading": Shading,
}


def is_card_id(value: object) -> bool:
    """Return whether a value is an int 0..80; a bool is not."""
    return type(value) is int and 0 <= value < CARD_COUNT


@final
class Card:
    """One of the 81 cards: an immutable value with an id 0..80 (rule R3).

    There is one object for each id: `Card(40)` always returns the same object.

    Raises:
        ValueError: the id is not an int 0..80; a bool is not accepted.
    """

    __slots__ = ("attributes", "id", "packed")

    id: int
    """The card id, 0..80. Not a slot index."""
    attributes: CardAttributes
    """The four attribute values of the card."""
    packed: int
    """The attribute values as base-7 digits: the sum of three cards has no carry (see `set_core.rule`)."""

    def __new__(cls, card_id: int) -> "Card":
        """Return the card with this id."""
        if not is_card_id(card_id):
            raise ValueError(f"{card_id!r} is not the id of a card: allowed are the integers 0..80")
        return ALL_CARDS[card_id]

    @classmethod
    def of(cls, number: Number, shape: Shape, color: Color, shading: Shading) -> "Card":
        """Return the card with these attributes.

        Raises:
            ValueError: a value is not in its enum.
        """
        return ALL_CARDS[CardAttributes(number, shape, color, shading).id]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"cards are immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"cards are immutable: cannot delete {name!r}")

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, Card) else NotImplemented

    def __hash__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        card = self.attributes
        values = (card.number, card.color, card.shading, card.shape)
        return f"<Card {self.id}: {' '.join(value.name.capitalize() for value in values)}>"

    def __reduce__(self) -> tuple[type["Card"], tuple[int]]:
        return Card, (self.id,)


def _make(card_id: int) -> Card:
    card = object.__new__(Card)
    object.__setattr__(card, "id", card_id)
    object.__setattr__(card, "attributes", CardAttributes.from_id(card_id))
    object.__setattr__(card, "packed", PACKED[card_id])
    return card


ALL_CARDS: Final = tuple(_make(card_id) for card_id in range(CARD_COUNT))
"""All cards, by id."""
