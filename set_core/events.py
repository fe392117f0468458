"""What happens in a game, as values in the order in which it happened. Times are match-clock milliseconds."""

from enum import StrEnum
from typing import NamedTuple, TypedDict

from set_core.board import CardSlot
from set_core.cards import Attribute
from set_core.phase import Phase
from set_core.results import Results


class InvalidReason(StrEnum):
    """Why a claim was judged invalid."""

    NOT_A_SET = "NOT_A_SET"
    """An attribute is mixed."""
    STALE = "STALE"
    """A card is not on the board (decision D2)."""


class RefusalReason(StrEnum):
    """Why a message of a player had no effect.

    A game decides the first five, in this order; the match around it decides the others.
    """

    NOT_STARTED = "NOT_STARTED"
    """The cards are not dealt yet."""
    MATCH_OVER = "MATCH_OVER"
    """The game is over."""
    FORFEITED = "FORFEITED"
    """The player is out."""
    MALFORMED = "MALFORMED"
    """Not three distinct card ids 0..80 (decision D3), or not readable."""
    LOCKED = "LOCKED"
    """Claims are locked for all players, or for this one after a claim (decisions D4 and D5)."""
    SPECTATOR = "SPECTATOR"
    """The sender has no seat."""
    WRONG_SEAT = "WRONG_SEAT"
    """The sender does not hold this seat, or holds several and named none."""
    DUPLICATE = "DUPLICATE"
    """A claim with this id was judged before (decision E14)."""
    RATE_LIMITED = "RATE_LIMITED"
    """The sender has sent too much (decisions E15, E31 and E63)."""
    NOT_ALLOWED = "NOT_ALLOWED"
    """The options or the phase of the match rule it out."""


class BoardStanding(TypedDict):
    """What the events about the board have in common."""

    board_version: int
    cards_remaining: int
    phase: Phase
    locked_until_ms: int


class GameStarted(NamedTuple):
    """The first twelve cards were dealt."""

    slots: tuple[CardSlot, ...]
    """The board."""
    board_version: int
    """The board's version, 1."""
    cards_remaining: int
    """Cards left to deal."""
    phase: Phase
    """Where the game stands."""
    locked_until_ms: int
    """Until when everybody is locked; not in the future."""


class ClaimJudged(NamedTuple):
    """A claim was judged, and what it changed."""

    seat: int
    """Who claimed."""
    card_ids: tuple[int, ...]
    """What was claimed, in the claimant's order."""
    is_valid: bool
    """Whether it is a Set on the board."""
    reason: InvalidReason | None
    """Why not; None when valid."""
    mixed_attribute: Attribute | None
    """The first mixed attribute, for NOT_A_SET."""
    message: str
    """The reason as an English sentence; empty when valid."""
    score_delta: int
    """What the claim did to the score: 1, 0 or -1."""
    slots: tuple[CardSlot, ...]
    """The slots that changed, ascending; none when invalid."""
    board_version: int
    """The board's version afterwards."""
    cards_remaining: int
    """Cards left to deal."""
    phase: Phase
    """Where the game stands."""
    locked_until_ms: int
    """Until when everybody is locked; not in the future if nobody is."""


class ClaimRefused(NamedTuple):
    """A claim was not judged; it changed nothing and concerns only its sender (decision D5)."""

    seat: int
    """Who claimed."""
    reason: RefusalReason
    """Why."""


class BoardExpanded(NamedTuple):
    """There was no Set, so three cards were added (rules, "Expansion")."""

    slots: tuple[CardSlot, ...]
    """The three new slots."""
    board_version: int
    """The board's version afterwards."""
    cards_remaining: int
    """Cards left to deal."""
    phase: Phase
    """Where the game stands."""
    locked_until_ms: int
    """Until when everybody is locked."""


class PlayerForfeited(NamedTuple):
    """A player is out for good, with score and Sets kept (rules, "Disconnects and forfeits")."""

    seat: int
    """Who."""


class GameEnded(NamedTuple):
    """The game is over; comes once, as the last event."""

    results: Results
    """How it ended."""


Event = GameStarted | ClaimJudged | ClaimRefused | BoardExpanded | PlayerForfeited | GameEnded
"""Anything that happens in a game."""
