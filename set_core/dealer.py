"""Deck and board of one game: moves cards, and updates the game's state."""

from collections.abc import Iterable, Sequence

from set_core.board import EXPANSION, MIN_SLOTS, Board, CardSlot
from set_core.deck import Deck
from set_core.results import EndReason
from set_core.state import SessionState
from set_core.validator import any_set_among


class Dealer:
    """Deck and board of one game (rules R4 and R11)."""

    __slots__ = ("_state", "board", "deck")

    def __init__(self, deck: Deck, state: SessionState) -> None:
        self.deck = deck
        self.board = Board.over(state.slots)
        self._state = state

    def deal(self) -> tuple[CardSlot, ...]:
        """Deal the first twelve cards and return all slots (rule R12)."""
        indices = range(MIN_SLOTS)
        self._fill(indices)
        return self._commit(indices)

    def replace(self, card_ids: Iterable[int]) -> tuple[CardSlot, ...]:
        """Remove the cards of a Set, refill their slots if three cards are left, and return the slots.

        The slots are refilled and returned in ascending order (rule R14).
        """
        indices = sorted(self.board.slots_of(card_ids) or [])
        self.board.exchange(indices, self.deck.draw(len(indices)) if self._can_deal else ())
        return self._commit(indices)

    def expand(self) -> tuple[CardSlot, ...]:
        """Add three slots with new cards and return them (rule R15)."""
        self.board.expand(EXPANSION)
        indices = self.board.get_empty_slots()[-EXPANSION:]
        self._fill(indices)
        return self._commit(indices)

    @property
    def has_set(self) -> bool:
        """Whether there is a Set on the board."""
        return any_set_among(self.board.card_ids)

    @property
    def expansion_obstacle(self) -> EndReason | None:
        """Why the board cannot be expanded; None if it can (rules R15, R29 and R30)."""
        if not self._can_deal:
            return EndReason.DECK_EXHAUSTED
        return None if self.board.can_expand else EndReason.NO_SET_ON_FULL_BOARD

    @property
    def _can_deal(self) -> bool:
        """Whether three cards are left; one or two cards are never dealt (rule R17)."""
        return self.deck.cards_remaining >= EXPANSION

    def _fill(self, indices: Sequence[int]) -> None:
        for index, card in zip(indices, self.deck.draw(len(indices)), strict=True):
            self.board.place_card(index, card)

    def _commit(self, indices: Iterable[int]) -> tuple[CardSlot, ...]:
        self._state.drawn = self.deck.drawn
        self._state.board_version += 1
        return self.board.slots_at(indices)
