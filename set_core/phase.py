"""Where a game stands."""

from enum import StrEnum


class Phase(StrEnum):
    """The states of a game that everybody shares (rules, "Claim resolution"; DESIGN section 3).

    How many cards somebody has selected is the client's business; an invalid claim is its claimant's.
    """

    WAITING = "WAITING"
    """Before the first deal."""
    BOARD_IDLE = "BOARD_IDLE"
    """Claims are taken."""
    VALID_SET_ANIM = "VALID_SET_ANIM"
    """A Set was claimed and is shown; claims are locked."""
    REFILL_ANIM = "REFILL_ANIM"
    """New cards come; claims are locked."""
    EXPAND_BOARD = "EXPAND_BOARD"
    """There was no Set, cards are being added; claims are locked."""
    MATCH_END = "MATCH_END"
    """The game is over."""
