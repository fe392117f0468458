"""The kinds of values that options have: modes, penalties, bot levels and the lengths of animations."""

from dataclasses import dataclass
from enum import StrEnum


class Mode(StrEnum):
    """The kind of match (DESIGN section 6)."""

    ONLINE = "ONLINE"
    SINGLE_PLAYER = "SINGLE_PLAYER"
    PASS_AND_PLAY = "PASS_AND_PLAY"  # noqa: S105 - no password, a mode
    DAILY_CHALLENGE = "DAILY_CHALLENGE"


class Penalty(StrEnum):
    """What an invalid claim costs (rules, "Penalty modes")."""

    NONE = "NONE"
    POINT = "POINT"
    TIME = "TIME"


class BotLevel(StrEnum):
    """How well a bot plays."""

    EASY = "EASY"
    MEDIUM = "MEDIUM"
    HARD = "HARD"


@dataclass(frozen=True, slots=True)
class AnimationMs:
    """How long claims are locked while clients animate, each 0..10000 ms (rules, "Claim resolution")."""

    valid_set: int = 400
    """A valid claim is shown; everybody is locked."""
    refill: int = 300
    """New cards come; everybody is locked."""
    invalid_set: int = 400
    """An invalid claim is shown; only the claimant is locked (decision D4)."""
    expand_board: int = 150
    """Three cards are added; everybody is locked."""
