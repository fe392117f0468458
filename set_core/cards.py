"""The 81 cards: four attributes of three values each, and the id 0..80 that stands for one of each."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final, NoReturn, Self, final

from set_core.rule import PACKED

CARD_COUNT: Final = 81
"""How many cards there are (card model, "The 81-Card Universe")."""


class Attribute(StrEnum):
    """The four attributes, in the rule's order (set validator, "Implementing Validate()")."""

    NUMBER = "NUMBER"
    SHAPE = "SHAPE"
    COLOR = "COLOR"
    SHADING = "SHADING"


class Number(IntEnum):
    """How many symbols a card shows; alone in counting from 1 (card model, "The Attribute Enums")."""

    ONE = 1
    TWO = 2
    THREE = 3


class Shape(IntEnum):
    """Which symbol a card shows (card model, "The Attribute Enums")."""

    DIAMOND = 0
    SQUIGGLE = 1
    OVAL = 2


class Color(IntEnum):
    """Which color the symbols have (card model, "The Attribute Enums")."""

    RED = 0
    GREEN = 1
    PURPLE = 2


class Shading(IntEnum):
    """How the symbols are filled (card model, "The Attribute Enums")."""

    SOLID = 0
    STRIPED = 1
    OPEN = 2


@dataclass(frozen=True, slots=True)
class CardAttributes:
    """The four attribute values of one card.

    Plain integers are turned into their enum.

    Raises:
        ValueError: a value that its enum does not have.
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
        """The attributes of the card with this id, 0..80 (card model, "CardId Encoding Formula")."""
        return cls(
            Number(card_id // 27 + 1),
            Shape(card_id % 27 // 9),
            Color(card_id % 9 // 3),
            Shading(card_id % 3),
        )

    @property
    def id(self) -> int:
        """The id 0..80 of the one card with these attributes (card model, "CardId Encoding Formula")."""
        return (self.number - 1) * 27 + self.shape * 9 + self.color * 3 + self.shading


_ATTRIBUTE_TYPES: Final[dict[str, type[IntEnum]]] = {
    "number": Number,
    "shape": Shape,
    "color": Color,
    "shading": Shading,
}


def is_card_id(value: object) -> bool:
    """Whether this is an int 0..80; a bool is not."""
    return type(value) is int and 0 <= value < CARD_COUNT


@final
class Card:
    """One of the 81 cards: an immutable value whose identity is its id 0..80 (card model, "The Card Class").

    There is one object per id; `Card(40)` returns it and never makes another.

    Raises:
        ValueError: the id is not an int 0..80 (a bool is no int here).
    """

    __slots__ = ("attributes", "id", "packed")

    id: int
    """The id, 0..80. Not the index of a slot on the board."""
    attributes: CardAttributes
    """The four attribute values that the id stands for."""
    packed: int
    """The attribute values as base-7 digits: three of them add up without a carry (see `set_core.rule`)."""

    def __new__(cls, card_id: int) -> "Card":
        """Return the card with this id."""
        if not is_card_id(card_id):
            raise ValueError(f"{card_id!r} is not the id of a card: allowed are the integers 0..80")
        return ALL_CARDS[card_id]

    @classmethod
    def of(cls, number: Number, shape: Shape, color: Color, shading: Shading) -> "Card":
        """The card with these attributes.

        Raises:
            ValueError: a value that its enum does not have.
        """
        return ALL_CARDS[CardAttributes(number, shape, color, shading).id]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"cards never change: cannot set {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"cards never change: cannot delete {name!r}")

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, Card) else NotImplemented

    def __hash__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        shown = self.attributes
        names = (shown.number, shown.color, shown.shading, shown.shape)
        return f"<Card {self.id}: {' '.join(value.name.capitalize() for value in names)}>"

    def __reduce__(self) -> tuple[type["Card"], tuple[int]]:
        return Card, (self.id,)


def _make(card_id: int) -> Card:
    card = object.__new__(Card)
    object.__setattr__(card, "id", card_id)
    object.__setattr__(card, "attributes", CardAttributes.from_id(card_id))
    object.__setattr__(card, "packed", PACKED[card_id])
    return card


ALL_CARDS: Final = tuple(_make(card_id) for card_id in range(CARD_COUNT))
"""Every card, by id."""
