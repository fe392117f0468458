"""The board: 12 to 21 slots, each empty or with one card. It knows no deck and no rule."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from set_core.cards import ALL_CARDS, Card

MIN_SLOTS: Final = 12
"""How many slots a board starts with (board and dealing, "Initial Deal")."""
MAX_SLOTS: Final = 21
"""How many slots a board can have (rules, "Expansion")."""
EXPANSION: Final = 3
"""How many slots an expansion adds."""
EMPTY: Final = -1
"""Stands for no card where slots are kept as plain ids."""


class SlotIndexError(IndexError):
    """There is no slot with this index."""


class SlotOccupiedError(RuntimeError):
    """A card was to be placed where another lies."""


class BoardSizeError(ValueError):
    """The board would not have 12, 15, 18 or 21 slots."""


@dataclass(frozen=True, slots=True)
class CardSlot:
    """One place on the board (board and dealing, "Core Types")."""

    index: int
    """The place, 0..20: row `index // 4`, column `index % 4`. Not the id of a card."""
    card: Card | None
    """The card that lies there; None if the slot is empty."""


# Every slot that a board can ever show, made once. EMPTY is the last of each index.
_SLOTS: Final = [[CardSlot(index, card) for card in (*ALL_CARDS, None)] for index in range(MAX_SLOTS)]


class Board:
    """Slots in a grid of four columns; starts with 12 empty ones (board and dealing, "Board Invariants")."""

    __slots__ = ("_ids",)

    def __init__(self) -> None:
        self._ids = [EMPTY] * MIN_SLOTS

    @classmethod
    def over(cls, ids: list[int]) -> Self:
        """A board that keeps its cards in this very list: one id 0..80 per slot, -1 for an empty one.

        Raises:
            BoardSizeError: the list has not 12, 15, 18 or 21 slots.
        """
        if not MIN_SLOTS <= len(ids) <= MAX_SLOTS or len(ids) % EXPANSION:
            raise BoardSizeError(f"a board of {len(ids)} slots: allowed are 12, 15, 18 and 21")
        self = cls.__new__(cls)
        self._ids = ids
        return self

    @property
    def slots(self) -> tuple[CardSlot, ...]:
        """Every slot by index, empty ones included."""
        return self.slots_at(range(len(self._ids)))

    @property
    def card_ids(self) -> list[int]:
        """The ids of the cards that lie here, by slot, without the empty ones."""
        ids = self._ids
        return [card for card in ids if card != EMPTY] if EMPTY in ids else ids.copy()

    def get_card(self, index: int) -> Card | None:
        """The card in this slot, or None.

        Raises:
            SlotIndexError: no such slot.
        """
        self._check_index(index)
        card = self._ids[index]
        return None if card == EMPTY else ALL_CARDS[card]

    def place_card(self, index: int, card: Card) -> None:
        """Put a card into an empty slot.

        Raises:
            SlotIndexError: no such slot.
            SlotOccupiedError: a card lies there.
        """
        self._check_index(index)
        if self._ids[index] != EMPTY:
            raise SlotOccupiedError(f"slot {index} already holds {self.get_card(index)}: remove it first")
        self._ids[index] = card.id

    def remove_card(self, index: int) -> None:
        """Empty a slot; nothing happens if it is empty.

        Raises:
            SlotIndexError: no such slot.
        """
        self._check_index(index)
        self._ids[index] = EMPTY

    def exchange(self, indices: Sequence[int], cards: Sequence[Card]) -> None:
        """Take the cards out of some slots and put these there, one into each; no cards at all empty them.

        The slots are this board's.

        Raises:
            ValueError: some cards, but not one for each slot; nothing has changed.
        """
        ids = [card.id for card in cards] if cards else [EMPTY] * len(indices)
        if len(ids) != len(indices):
            raise ValueError(f"{len(ids)} cards for {len(indices)} slots: one for each is needed, or none")
        for index, card in zip(indices, ids, strict=True):
            self._ids[index] = card

    def get_empty_slots(self) -> tuple[int, ...]:
        """The indices of the slots without a card, ascending."""
        return tuple(index for index, card in enumerate(self._ids) if card == EMPTY)

    def expand(self, additional_slots: int) -> None:
        """Append empty slots (board and dealing, "Expansion").

        Raises:
            BoardSizeError: not three slots, or the board would have more than 21.
        """
        if additional_slots != EXPANSION:
            raise BoardSizeError(f"cannot add {additional_slots} slots: a board grows by 3")
        if not self.can_expand:
            raise BoardSizeError(f"cannot add slots to a board of {len(self._ids)}: at most 21 are allowed")
        self._ids.extend([EMPTY] * EXPANSION)

    @property
    def can_expand(self) -> bool:
        """Whether the board has fewer than 21 slots."""
        return len(self._ids) < MAX_SLOTS

    def slots_of(self, card_ids: Iterable[int]) -> list[int] | None:
        """Where these cards lie, in their order; None if one of them is not here."""
        try:
            return list(map(self._ids.index, card_ids))
        except ValueError:
            return None

    def slots_at(self, indices: Iterable[int]) -> tuple[CardSlot, ...]:
        """The slots with these indices, all of this board, in their order."""
        ids = self._ids
        return tuple([_SLOTS[index][ids[index]] for index in indices])

    def _check_index(self, index: int) -> None:
        if not 0 <= index < len(self._ids):
            raise SlotIndexError(f"there is no slot {index}: allowed are 0..{len(self._ids) - 1}")
