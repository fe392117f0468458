"""Events of a game. Times are match-clock milliseconds."""

from enum import StrEnum
from typing import NamedTuple, TypedDict

from set_core.board import CardSlot
from set_core.cards import Attribute
from set_core.phase import Phase
from set_core.results import Results


class InvalidReason(StrEnum):
    """The reason why a claim is invalid."""

    NOT_A_SET = "NOT_A_SET"
    """An attribute is mixed."""
    STALE = "STALE"
    """A card is not on the board (decision D2)."""


class RejectionReason(StrEnum):
    """The reason why a message of a player was rejected.

    A game checks the first five, in this order; the match checks the others.
    """

    NOT_STARTED = "NOT_STARTED"
    """The game has not started."""
    MATCH_OVER = "MATCH_OVER"
    """The game is over."""
    FORFEITED = "FORFEITED"
    """The player has forfeited."""
    MALFORMED = "MALFORMED"
    """The message cannot be parsed, or does not have three distinct card ids 0..80 (decision D3)."""
    LOCKED = "LOCKED"
    """Claims are locked for all players or for this player (decisions D4 and D5)."""
    SPECTATOR = "SPECTATOR"
    """The sender has no seat."""
    WRONG_SEAT = "WRONG_SEAT"
    """The sender does not have this seat, or has several seats and named none."""
    DUPLICATE = "DUPLICATE"
    """A claim with this id was judged before (decision E14)."""
    RATE_LIMITED = "RATE_LIMITED"
    """The sender has sent too many messages (decisions E15, E31 and E63)."""
    NOT_ALLOWED = "NOT_ALLOWED"
    """The options or the phase of the match do not allow the message."""


class BoardStatus(TypedDict):
    """The common fields of events about the board."""

    board_version: int
    cards_remaining: int
    phase: Phase
    locked_until_ms: int


class GameStarted(NamedTuple):
    """The first twelve cards were dealt."""

    slots: tuple[CardSlot, ...]
    """All slots of the board."""
    board_version: int
    """The version of the board: 1."""
    cards_remaining: int
    """Cards left to deal."""
    phase: Phase
    """The phase after the event."""
    locked_until_ms: int
    """The end of the lock for all players; not in the future."""


class ClaimJudged(NamedTuple):
    """A claim was valid, invalid or stale."""

    seat: int
    """The seat of the claimant."""
    card_ids: tuple[int, ...]
    """The claimed cards, in the claimant's order."""
    is_valid: bool
    """Whether the cards are a Set on the board."""
    reason: InvalidReason | None
    """Why the claim is not valid; None for a valid claim."""
    mixed_attribute: Attribute | None
    """The first mixed attribute, for NOT_A_SET; else None."""
    message: str
    """The reason as an English sentence; empty for a valid claim."""
    score_delta: int
    """The change of the score: 1, 0 or -1."""
    slots: tuple[CardSlot, ...]
    """The changed slots, ascending; empty if the claim is not valid."""
    board_version: int
    """The version of the board after the event."""
    cards_remaining: int
    """Cards left to deal."""
    phase: Phase
    """The phase after the event."""
    locked_until_ms: int
    """The end of the lock for all players; not in the future if there is no lock."""


class ClaimRejected(NamedTuple):
    """A claim was rejected: it had no effect, and only its sender is informed (decision D5)."""

    seat: int
    """The seat of the claimant."""
    reason: RejectionReason
    """Why the claim was rejected."""


class BoardExpanded(NamedTuple):
    """Three cards were added to a board without a Set (rule R15)."""

    slots: tuple[CardSlot, ...]
    """The three new slots."""
    board_version: int
    """The version of the board after the event."""
    cards_remaining: int
    """Cards left to deal."""
    phase: Phase
    """The phase after the event."""
    locked_until_ms: int
    """The end of the lock for all players."""


class PlayerForfeited(NamedTuple):
    """A player forfeited; score and Sets are kept (rule R34)."""

    seat: int
    """The seat of the player."""


class GameEnded(NamedTuple):
    """The end of the game; the last event."""

    results: Results
    """The result of the game."""


Event = GameStarted | ClaimJudged | ClaimRejected | BoardExpanded | PlayerForfeited | GameEnded
"""All types of events."""
