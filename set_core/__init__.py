"""The rule core: cards, validator, deck, board and the state machine of a game.

The package imports only the standard library, reads no clock, does no I/O and logs nothing. Its only external
input is the operating system's entropy for a shuffle.
"""

from set_core.board import Board, BoardSizeError, CardSlot, SlotIndexError, SlotOccupiedError
from set_core.cards import ALL_CARDS, Attribute, Card, CardAttributes, Color, Number, Shading, Shape
from set_core.choices import AnimationMs, BotLevel, ClaimOrder, Mode, Penalty
from set_core.deck import Deck, DeckExhaustedError, daily_seed
from set_core.dotnet_random import DotNetRandom
from set_core.events import (
    BoardExpanded,
    ClaimJudged,
    ClaimRejected,
    Event,
    GameEnded,
    GameStarted,
    InvalidReason,
    PlayerForfeited,
    RejectionReason,
)
from set_core.option_checks import checked_options
from set_core.option_errors import OptionsError
from set_core.options import MatchOptions
from set_core.phase import Phase
from set_core.results import EndReason, Results, Standing
from set_core.session import AlreadyStartedError, GameSession
from set_core.state import PlayerState, SessionState
from set_core.validator import SetResult, SetValidator, any_set_among, find_sets_among

__all__ = [
    "ALL_CARDS",
    "AlreadyStartedError",
    "AnimationMs",
    "Attribute",
    "Board",
    "BoardExpanded",
    "BoardSizeError",
    "BotLevel",
    "Card",
    "CardAttributes",
    "CardSlot",
    "ClaimJudged",
    "ClaimOrder",
    "ClaimRejected",
    "Color",
    "Deck",
    "DeckExhaustedError",
    "DotNetRandom",
    "EndReason",
    "Event",
    "GameEnded",
    "GameSession",
    "GameStarted",
    "InvalidReason",
    "MatchOptions",
    "Mode",
    "Number",
    "OptionsError",
    "Penalty",
    "Phase",
    "PlayerForfeited",
    "PlayerState",
    "RejectionReason",
    "Results",
    "SessionState",
    "SetResult",
    "SetValidator",
    "Shading",
    "Shape",
    "SlotIndexError",
    "SlotOccupiedError",
    "Standing",
    "any_set_among",
    "checked_options",
    "daily_seed",
    "find_sets_among",
]
