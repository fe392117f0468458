"""The phases of a game."""

from enum import StrEnum


class Phase(StrEnum):
    """The phase of a game, the same for all players (rule R24; DESIGN section 3).

    The selection of cards and the animation of an invalid claim concern one player only and are no phases.
    """

    WAITING = "WAITING"
    """Before the first deal."""
    BOARD_IDLE = "BOARD_IDLE"
    """Players can claim."""
    VALID_SET_ANIM = "VALID_SET_ANIM"
    """The animation of a valid claim; claims are locked."""
    REFILL_ANIM = "REFILL_ANIM"
    """The animation of a refill; claims are locked."""
    EXPAND_BOARD = "EXPAND_BOARD"
    """The animation of an expansion; claims are locked."""
    MATCH_END = "MATCH_END"
    """The game is over."""
