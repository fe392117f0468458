"""The words of the protocol: its op codes and the values of its enums, as they are on the wire."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Op(IntEnum):
    """The op codes, from `enum OpCode`."""

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


class Phase(StrEnum):
    """Where a game stands, from `enum Phase`."""

    WAITING = "PHASE_WAITING"
    BOARD_IDLE = "PHASE_BOARD_IDLE"
    VALID_SET_ANIM = "PHASE_VALID_SET_ANIM"
    REFILL_ANIM = "PHASE_REFILL_ANIM"
    EXPAND_BOARD = "PHASE_EXPAND_BOARD"
    MATCH_END = "PHASE_MATCH_END"


class Reason(StrEnum):
    """Why a claim is invalid or a message was not accepted, from `enum ClaimReason`."""

    NONE = "CLAIM_REASON_UNSPECIFIED"
    NOT_A_SET = "CLAIM_REASON_NOT_A_SET"
    STALE = "CLAIM_REASON_STALE"
    MALFORMED = "CLAIM_REASON_MALFORMED"
    LOCKED = "CLAIM_REASON_LOCKED"
    NOT_STARTED = "CLAIM_REASON_NOT_STARTED"
    MATCH_OVER = "CLAIM_REASON_MATCH_OVER"
    SPECTATOR = "CLAIM_REASON_SPECTATOR"
    FORFEITED = "CLAIM_REASON_FORFEITED"
    RATE_LIMITED = "CLAIM_REASON_RATE_LIMITED"
    WRONG_SEAT = "CLAIM_REASON_WRONG_SEAT"
    DUPLICATE = "CLAIM_REASON_DUPLICATE"
    NOT_ALLOWED = "CLAIM_REASON_NOT_ALLOWED"


class Status(StrEnum):
    """Whether a player takes part, from `enum PlayerStatus`."""

    CONNECTED = "PLAYER_STATUS_CONNECTED"
    DISCONNECTED = "PLAYER_STATUS_DISCONNECTED"
    FORFEITED = "PLAYER_STATUS_FORFEITED"


class Change(StrEnum):
    """What happened to a player, from `enum PlayerChange`."""

    JOINED = "PLAYER_CHANGE_JOINED"
    DISCONNECTED = "PLAYER_CHANGE_DISCONNECTED"
    RECONNECTED = "PLAYER_CHANGE_RECONNECTED"
    FORFEITED = "PLAYER_CHANGE_FORFEITED"
    READY = "PLAYER_CHANGE_READY"
    KICKED = "PLAYER_CHANGE_KICKED"


class End(StrEnum):
    """Why a game ended, from `enum EndReason`."""

    DECK_EXHAUSTED = "END_REASON_DECK_EXHAUSTED"
    NO_SET_ON_FULL_BOARD = "END_REASON_NO_SET_ON_FULL_BOARD"
    TIME_UP = "END_REASON_TIME_UP"
    CLOCK_PENALTY = "END_REASON_CLOCK_PENALTY"
    LAST_PLAYER_STANDING = "END_REASON_LAST_PLAYER_STANDING"
    ABANDONED = "END_REASON_ABANDONED"
    TERMINATED = "END_REASON_TERMINATED"
