"""What players receive, as typed values and as JSON (DESIGN section 5, `client.proto`).

The JSON is the proto3 JSON form of the messages in `client.proto`: lowerCamelCase, defaults written out,
absent optionals left out. A field typed `UnsetType` is such an optional. Enum values travel as the full
names that `client.proto` gives them.
"""

from enum import IntEnum
from typing import Final

import msgspec
from msgspec import UNSET, Struct, UnsetType


class OpCode(IntEnum):
    """Which message a payload is; the numbers are `OpCode` of `client.proto`."""

    CLAIM = 1
    SYNC = 2
    READY = 3
    REMATCH = 4
    HINT = 5
    EXTEND = 6
    KICK = 7
    SNAPSHOT = 101
    MATCH_STARTED = 102
    CLAIM_RESULT = 103
    CLAIM_REJECTED = 104
    BOARD_EXPANDED = 105
    PLAYER_CHANGED = 106
    MATCH_ENDED = 107
    HINT_RESULT = 108
    SERVICE_STATUS = 109
    FILL_TIME = 110


PLAYER_OP_CODES: Final = tuple(code for code in OpCode if code < OpCode.SNAPSHOT)
"""The op codes that players may send."""


class Sent(Struct, rename="camel", gc=False):
    """Base of what players receive."""


class Slot(Sent):
    """One place on the board; no card: it is empty."""

    index: int
    card_id: int | UnsetType = UNSET


class Player(Sent):
    """What everybody may know of a player."""

    seat: int
    user_id: str
    username: str
    bot: bool
    score: int
    sets_collected: int
    invalid_attempts: int
    status: str
    ready: bool
    time_remaining_ms: int | UnsetType = UNSET
    reconnect_deadline_ms: int | UnsetType = UNSET
    locked_until_ms: int | UnsetType = UNSET


class Standing(Sent):
    """One line of a result."""

    rank: int
    player: Player


class AnimationMs(Sent):
    """How long animations lock claims, in milliseconds."""

    valid_set: int
    refill: int
    invalid_set: int
    expand_board: int


class Bot(Sent):
    """One seat played by the service."""

    level: str


class Options(Sent):
    """How a match is played, without its seed: that would give the deck away."""

    mode: str
    max_players: int
    min_players: int
    time_limit_seconds: int
    penalty: str
    time_penalty_seconds: int
    tie_break_fewest_invalid: bool
    penalize_stale_claims: bool
    reconnect_window_seconds: int
    animation_ms: AnimationMs
    bots: list[Bot]
    allow_spectators: bool
    local_players: list[str]
    hints: bool
    private: bool


class Results(Sent):
    """How a game ended."""

    reason: str
    draw: bool
    standings: list[Standing]
    duration_ms: int
    deck: list[int]
    record_key: str
    winner_seat: int | UnsetType = UNSET


class MatchEnded(Results, kw_only=True):
    """OpCode.MATCH_ENDED: the results, as a message to all."""

    seq: int


class Table(Sent, kw_only=True):
    """What a snapshot and the start of a game have in common."""

    seq: int
    game: int
    phase: str
    options: Options
    players: list[Player]
    slots: list[Slot]
    cards_remaining: int
    board_version: int
    now_ms: int
    time_remaining_ms: int | UnsetType = UNSET
    locked_until_ms: int | UnsetType = UNSET


class MatchStarted(Table):
    """OpCode.MATCH_STARTED: the first board of a game."""


class Snapshot(Table, kw_only=True):
    """OpCode.SNAPSHOT: everything that one client may know."""

    your_seats: list[int]
    creator_id: str
    results: Results | UnsetType = UNSET
    fill_deadline_ms: int | UnsetType = UNSET


class ClaimResult(Sent):
    """OpCode.CLAIM_RESULT: a claim was judged."""

    seq: int
    claim_id: str
    seat: int
    user_id: str
    card_ids: list[int]
    valid: bool
    reason: str
    mixed_attribute: str
    message: str
    score_delta: int
    player: Player
    slots: list[Slot]
    board_version: int
    cards_remaining: int
    phase: str
    locked_until_ms: int


class ClaimRejected(Sent):
    """OpCode.CLAIM_REJECTED: a message was not accepted and changed nothing."""

    claim_id: str
    reason: str
    op_code: int
    message: str = ""


class BoardExpanded(Sent):
    """OpCode.BOARD_EXPANDED: there was no Set, three cards were added."""

    seq: int
    slots: list[Slot]
    board_version: int
    cards_remaining: int
    phase: str
    locked_until_ms: int


class PlayerChanged(Sent):
    """OpCode.PLAYER_CHANGED: something happened to a player."""

    seq: int
    player: Player
    change: str


class HintResult(Sent):
    """OpCode.HINT_RESULT: a Set on the board; empty if there is none."""

    card_ids: list[int]


class FillTime(Sent):
    """OpCode.FILL_TIME: until when the match must be full enough to start."""

    seq: int
    fill_deadline_ms: int


class ServiceStatus(Sent):
    """OpCode.SERVICE_STATUS: whether the referee is there; sent by the shim, from its notices."""

    paused: bool
    closed: bool = False


encode = msgspec.json.Encoder().encode
"""JSON bytes of a payload."""
