"""The deck: 81 cards in a secret order, drawn from the top and never put back."""

from collections.abc import Sequence
from random import SystemRandom
from typing import TYPE_CHECKING, Final, Self

from set_core.cards import ALL_CARDS, CARD_COUNT, Card
from set_core.dotnet_random import DotNetRandom

if TYPE_CHECKING:
    from datetime import date

_ALL_IDS: Final = frozenset(range(CARD_COUNT))
_CARD: Final = ALL_CARDS.__getitem__


class DeckExhaustedError(ValueError):
    """More cards were to be drawn than remain; none was drawn."""


def daily_seed(date: "date") -> int:
    """The seed of the daily challenge on this UTC date: year, month, day in decimal digits (decision D12)."""
    return date.year * 10_000 + date.month * 100 + date.day


class Deck:
    """Cards in a fixed order, of which the first `drawn` are gone (card model, "Deck").

    Args:
        seed: 0 shuffles with the operating system's entropy, the one thing from outside that this package
            touches (decision D13). Any other 32-bit integer shuffles like `System.Random(seed)` of .NET
            (rules, "Shuffling").

    Raises:
        ValueError: the seed does not fit in 32 bits.
    """

    __slots__ = ("_drawn", "_order")

    def __init__(self, seed: int = 0) -> None:
        self._order = _system_order() if seed == 0 else _seeded_order(seed)
        self._drawn = 0

    @classmethod
    def from_order(cls, ids: Sequence[int], drawn: int = 0) -> Self:
        """A deck in this order, from the top, of which the first `drawn` cards are already gone.

        Args:
            ids: distinct card ids 0..80; there may be fewer than 81.
            drawn: 0..len(ids).

        Raises:
            ValueError: an id that is no card or is there twice, or `drawn` outside its range.
        """
        _check_order(ids)
        if not 0 <= drawn <= len(ids):
            raise ValueError(f"drawn is {drawn}: allowed are 0..{len(ids)}")
        return cls.resume(bytes(ids), drawn)

    @classmethod
    def resume(cls, order: bytes, drawn: int) -> Self:
        """A deck out of the order and count of an earlier one; unlike `from_order` it does not check them."""
        self = cls.__new__(cls)
        self._order = order
        self._drawn = drawn
        return self

    @property
    def order(self) -> tuple[int, ...]:
        """Every card id from top to bottom, drawn ones included. Secret until the game is over."""
        return tuple(self._order)

    @property
    def drawn(self) -> int:
        """How many cards are gone."""
        return self._drawn

    @property
    def cards_remaining(self) -> int:
        """How many cards are left."""
        return len(self._order) - self._drawn

    def draw(self, count: int) -> tuple[Card, ...]:
        """Take the next cards from the top.

        Raises:
            ValueError: a negative count.
            DeckExhaustedError: fewer cards remain; nothing is drawn.
        """
        if count < 0:
            raise ValueError(f"cannot draw {count} cards: allowed are 0..{self.cards_remaining}")
        top = self._order[self._drawn : self._drawn + count]
        if len(top) < count:
            raise DeckExhaustedError(f"cannot draw {count} cards: only {self.cards_remaining} remain")
        self._drawn += count
        return tuple(map(_CARD, top))


def _check_order(ids: Sequence[int]) -> None:
    for card in ids:
        Card(card)
    if len(_ALL_IDS.intersection(ids)) < len(ids):
        raise ValueError("a card is in the deck twice: allowed are distinct ids 0..80")


def _system_order() -> bytes:
    ids = list(range(CARD_COUNT))
    SystemRandom().shuffle(ids)
    return bytes(ids)


def _seeded_order(seed: int) -> bytes:
    """Fisher-Yates from the top end down, as a C# client does it with the same seed."""
    random = DotNetRandom(seed)
    ids = list(range(CARD_COUNT))
    for last in range(CARD_COUNT - 1, 0, -1):
        other = random.next_below(last + 1)
        ids[last], ids[other] = ids[other], ids[last]
    return bytes(ids)
