"""The board: 12 to 21 slots, each with a card or empty. It does not use the deck or the rules."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from set_core.cards import ALL_CARDS, Card

MIN_SLOTS: Final = 12
"""The number of slots of the first board (rule R12)."""
MAX_SLOTS: Final = 21
"""The maximum number of slots (rules R11 and R15)."""
EXPANSION: Final = 3
"""The number of slots that an expansion adds."""
EMPTY: Final = -1
"""The value of an empty slot in a list of card ids."""


class SlotIndexError(IndexError):
    """A slot index that is not on the board."""


class SlotOccupiedError(RuntimeError):
    """An attempt to place a card in a slot that has a card."""


class BoardSizeError(ValueError):
    """A number of slots that is not 12, 15, 18 or 21."""


@dataclass(frozen=True, slots=True)
class CardSlot:
    """One slot of the board with its card (rule R11)."""

    index: int
    """The slot index, 0..20: row `index // 4`, column `index % 4`. Not a card id."""
    card: Card | None
    """The card in the slot; None if the slot is empty."""


# All possible `CardSlot` objects by slot index and card id. EMPTY (-1) selects the last object of an index.
_SLOTS: Final = [[CardSlot(index, card) for card in (*ALL_CARDS, None)] for index in range(MAX_SLOTS)]


class Board:
    """Slots in a grid of four columns, at first 12 empty ones (rule R11)."""

    __slots__ = ("_ids",)

    def __init__(self) -> None:
        self._ids = [EMPTY] * MIN_SLOTS

    @classmethod
    def over(cls, ids: list[int]) -> Self:
        """Return a board that stores its cards in this list: a card id 0..80 per slot, -1 for an empty slot.

        Raises:
            BoardSizeError: the length of the list is not 12, 15, 18 or 21.
        """
        if not MIN_SLOTS <= len(ids) <= MAX_SLOTS or len(ids) % EXPANSION:
            raise BoardSizeError(f"a board of {len(ids)} slots: allowed are 12, 15, 18 and 21")
        self = cls.__new__(cls)
        self._ids = ids
        return self

    @property
    def slots(self) -> tuple[CardSlot, ...]:
        """All slots by index, including empty slots."""
        return self.slots_at(range(len(self._ids)))

    @property
    def card_ids(self) -> list[int]:
        """The ids of the cards on the board, by slot index, without empty slots."""
        ids = self._ids
        return [card for card in ids if card != EMPTY] if EMPTY in ids else ids.copy()

    def get_card(self, index: int) -> Card | None:
        """Return the card in a slot; None if the slot is empty.

        Raises:
            SlotIndexError: the board has no such slot.
        """
        self._check_index(index)
        card = self._ids[index]
        return None if card == EMPTY else ALL_CARDS[card]

    def place_card(self, index: int, card: Card) -> None:
        """Place a card in an empty slot.

        Raises:
            SlotIndexError: the board has no such slot.
            SlotOccupiedError: the slot has a card.
        """
        self._check_index(index)
        if self._ids[index] != EMPTY:
            raise SlotOccupiedError(f"slot {index} already holds {self.get_card(index)}: remove it first")
        self._ids[index] = card.id

    def remove_card(self, index: int) -> None:
        """Remove the card from a slot, if there is one.

        Raises:
            SlotIndexError: the board has no such slot.
        """
        self._check_index(index)
        self._ids[index] = EMPTY

    def exchange(self, indices: Sequence[int], cards: Sequence[Card]) -> None:
        """Replace the cards in some slots; without new cards the slots become empty.

        Args:
            indices: existing slot indices; they are not checked.
            cards: one card for each slot, or none.

        Raises:
            ValueError: there are new cards, but not one for each slot; the board is unchanged.
        """
        ids = [card.id for card in cards] if cards else [EMPTY] * len(indices)
        if len(ids) != len(indices):
            raise ValueError(f"{len(ids)} cards for {len(indices)} slots: one for each is needed, or none")
        for index, card in zip(indices, ids, strict=True):
            self._ids[index] = card

    def get_empty_slots(self) -> tuple[int, ...]:
        """Return the indices of the empty slots, ascending."""
        return tuple(index for index, card in enumerate(self._ids) if card == EMPTY)

    def expand(self, additional_slots: int) -> None:
        """Append empty slots (rule R15).

        Raises:
            BoardSizeError: `additional_slots` is not 3, or the board already has 21 slots.
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
        """Return the slot indices of these cards, in the same order; None if a card is not on the board."""
        try:
            return list(map(self._ids.index, card_ids))
        except ValueError:
            return None

    def slots_at(self, indices: Iterable[int]) -> tuple[CardSlot, ...]:
        """Return the slots with these indices, in the same order; the indices are not checked."""
        ids = self._ids
        return tuple([_SLOTS[index][ids[index]] for index in indices])

    def _check_index(self, index: int) -> None:
        if not 0 <= index < len(self._ids):
            raise SlotIndexError(f"there is no slot {index}: allowed are 0..{len(self._ids) - 1}")
