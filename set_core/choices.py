"""Types of option values: modes, penalties, bot levels and animation times."""

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """The kind of match (DESIGN section 6)."""

    ONLINE = "ONLINE"
    SINGLE_PLAYER = "SINGLE_PLAYER"
    PASS_AND_PLAY = "PASS_AND_PLAY"  # noqa: S105 - no password, a mode
    DAILY_CHALLENGE = "DAILY_CHALLENGE"


class Penalty(StrEnum):
    """The cost of an invalid claim (rule R27)."""

    NONE = "NONE"
    POINT = "POINT"
    TIME = "TIME"


class ClaimOrder(StrEnum):
    """The order in which claims are judged (rule R20)."""

    TICK = "TICK"
    """By tick, then by user id (decision D1)."""
    ARRIVAL = "ARRIVAL"
    """In the order of arrival, each claim at its receive time (decision D14)."""


class BotLevel(StrEnum):
    """The strength of a bot."""

    EASY = "EASY"
    MEDIUM = "MEDIUM"
    HARD = "HARD"


@dataclass(frozen=True, slots=True)
class AnimationMs:
    """How long each animation locks claims, 0..10000 ms (rule R24)."""

    valid_set: int = 400
    """Display of a valid claim; locks all players."""
    refill: int = 300
    """Refill of the board; locks all players."""
    invalid_set: int = 400
    """Display of an invalid claim; locks only the claimant (decision D4)."""
    expand_board: int = 150
    """Expansion of the board; locks all players."""
