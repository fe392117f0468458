"""Payloads to players: typed values and their JSON (DESIGN section 5, `client.proto`).

Each class has the fields of its message in `client.proto`, which describes them. The JSON is the proto3 JSON
form: lowerCamelCase names, with default values, without absent optional fields (type `UnsetType`). Enum
values are the full names from `client.proto`. All times are match-clock milliseconds.
"""

from enum import IntEnum
from typing import Final

import msgspec
from msgspec import UNSET, Struct, UnsetType


class OpCode(IntEnum):
    """The message type of a payload; the numbers are those of `OpCode` in `client.proto`."""

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
"""The op codes of messages from players."""


class ServerPayload(Struct, rename="camel", gc=False):
    """Base class of payloads to players."""


class Slot(ServerPayload):
    """One slot of the board; without `card_id` it is empty."""

    index: int
    card_id: int | UnsetType = UNSET


class Player(ServerPayload):
    """The public data of a player."""

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


class Standing(ServerPayload):
    """The rank of one player in a result."""

    rank: int
    player: Player


class Results(ServerPayload):
    """The result of a game."""

    reason: str
    draw: bool
    standings: list[Standing]
    duration_ms: int
    deck: list[int]
    record_key: str
    winner_seat: int | UnsetType = UNSET


class MatchEnded(Results, kw_only=True):
    """OpCode.MATCH_ENDED: the result of a game."""

    seq: int


class GameStatus(ServerPayload, kw_only=True):
    """The common fields of `MatchStarted` and `Snapshot`."""

    seq: int
    game: int
    phase: str
    options: msgspec.Raw
    """The form `public_form` of `match_handler.protocol.options`."""
    players: list[Player]
    slots: list[Slot]
    cards_remaining: int
    board_version: int
    now_ms: int
    time_remaining_ms: int | UnsetType = UNSET
    locked_until_ms: int | UnsetType = UNSET


class MatchStarted(GameStatus):
    """OpCode.MATCH_STARTED: the start of a game, with its first board."""


class Snapshot(GameStatus, kw_only=True):
    """OpCode.SNAPSHOT: the visible state of the match for one client."""

    your_seats: list[int]
    creator_id: str
    results: Results | UnsetType = UNSET
    fill_deadline_ms: int | UnsetType = UNSET


class ClaimResult(ServerPayload):
    """OpCode.CLAIM_RESULT: a claim was valid, invalid or stale."""

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


class ClaimRejected(ServerPayload):
    """OpCode.CLAIM_REJECTED: a message was rejected and had no effect."""

    claim_id: str
    reason: str
    op_code: int
    message: str = ""


class BoardExpanded(ServerPayload):
    """OpCode.BOARD_EXPANDED: three cards were added to a board without a Set."""

    seq: int
    slots: list[Slot]
    board_version: int
    cards_remaining: int
    phase: str
    locked_until_ms: int


class PlayerChanged(ServerPayload):
    """OpCode.PLAYER_CHANGED: a change of a player, such as a new connection or a forfeit."""

    seq: int
    player: Player
    change: str


class HintResult(ServerPayload):
    """OpCode.HINT_RESULT: a Set on the board; empty if the board has no Set."""

    card_ids: list[int]


class FillTime(ServerPayload):
    """OpCode.FILL_TIME: the new end of the fill time."""

    seq: int
    fill_deadline_ms: int


class ServiceStatus(ServerPayload):
    """OpCode.SERVICE_STATUS: an outage begins or ends, or Nakama restarts; a notice of the shim."""

    paused: bool
    closed: bool = False
    restarting: bool = False


encode = msgspec.json.Encoder().encode
"""Encode a payload as JSON."""
