"""The deck: 81 cards in a secret order; drawn cards never return to it."""

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
    """A draw of more cards than remain; no card was drawn."""


def daily_seed(date: "date") -> int:
    """Return the seed of the daily challenge of a UTC date: the number YYYYMMDD (decision D12)."""
    return date.year * 10_000 + date.month * 100 + date.day


class Deck:
    """Cards in a fixed order, of which the first `drawn` were drawn (rule R4).

    Args:
        seed: 0 for a shuffle with the operating system's entropy (decision D13), or another 32-bit integer
            for the shuffle of .NET's `System.Random(seed)` (rule R5).

    Raises:
        ValueError: the seed does not fit in 32 bits.
    """

    __slots__ = ("_drawn", "_order")

    def __init__(self, seed: int = 0) -> None:
        self._order = _system_order() if seed == 0 else _seeded_order(seed)
        self._drawn = 0

    @classmethod
    def from_order(cls, ids: Sequence[int], drawn: int = 0) -> Self:
        """Return a deck in this order, from the top, of which the first `drawn` cards were drawn.

        Args:
            ids: distinct card ids 0..80; fewer than 81 are allowed.
            drawn: 0..len(ids).

        Raises:
            ValueError: an invalid or duplicate id, or `drawn` is out of range.
        """
        _check_order(ids)
        if not 0 <= drawn <= len(ids):
            raise ValueError(f"drawn is {drawn}: allowed are 0..{len(ids)}")
        return cls.resume(bytes(ids), drawn)

    @classmethod
    def resume(cls, order: bytes, drawn: int) -> Self:
        """Return the deck with this state. Unlike `from_order`, this does not validate the state."""
        self = cls.__new__(cls)
        self._order = order
        self._drawn = drawn
        return self

    @property
    def order(self) -> tuple[int, ...]:
        """All card ids from top to bottom, including drawn cards. Secret until the end of the game."""
        return tuple(self._order)

    @property
    def drawn(self) -> int:
        """The number of drawn cards."""
        return self._drawn

    @property
    def cards_remaining(self) -> int:
        """The number of cards left."""
        return len(self._order) - self._drawn

    def draw(self, count: int) -> tuple[Card, ...]:
        """Draw cards from the top.

        Raises:
            ValueError: the count is negative.
            DeckExhaustedError: fewer cards remain; no card is drawn.
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
    """Return a Fisher-Yates shuffle from the last index down, as a C# client makes it with the same seed."""
    random = DotNetRandom(seed)
    ids = list(range(CARD_COUNT))
    for last in range(CARD_COUNT - 1, 0, -1):
        other = random.next_below(last + 1)
        ids[last], ids[other] = ids[other], ids[last]
    return bytes(ids)
