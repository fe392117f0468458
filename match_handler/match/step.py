"""What a callback answers: the new state and what is to be done (the `Step` of `match_handler.proto`)."""

from enum import Enum

from msgspec import Struct, field

from match_handler.protocol.payloads import OpCode, Sent, encode


class Broadcast(Struct, frozen=True, gc=False):
    """A message to everybody (`audience` is None) or to some connections."""

    op_code: OpCode
    data: bytes
    audience: tuple[str, ...] | None = None


class StorageWrite(Struct, frozen=True, gc=False, kw_only=True):
    """An object for Nakama's storage; see the message of the same name."""

    collection: str
    key: str
    value: bytes
    record_field: str
    permission_read: int
    create_only: bool
    expires_unix_ms: int
    """When the write is no longer worth trying, in milliseconds since 1970."""


class Operator(Enum):
    """How a leaderboard joins a new score with the owner's old one."""

    BEST = "best"
    INCREMENT = "increment"


class Quota(Struct, frozen=True, gc=False):
    """How many writes may be done under one key; see the message of the same name."""

    collection: str
    key: str
    most: int


class LeaderboardWrite(Struct, frozen=True, gc=False, kw_only=True):
    """A record for one of Nakama's leaderboards; see the message of the same name."""

    leaderboard_id: str
    operator: Operator
    owner_id: str
    username: str
    score: int
    subscore: int
    metadata: bytes
    expires_unix_ms: int
    """When the write is no longer worth trying, in milliseconds since 1970."""
    quota: Quota | None = None


Effect = StorageWrite | LeaderboardWrite
"""A write outside the match, on its own: it neither waits for another nor depends on one."""


class Outbox(Struct):
    """Collects what one call does to the world."""

    broadcasts: list[Broadcast] = field(default_factory=list)
    kicks: list[str] = field(default_factory=list)
    log: list[bytes] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    new_record: bool = False
    """Whether the record begins with this call's lines."""
    synced: set[str] = field(default_factory=set)
    """Session ids that were sent a snapshot in this call after SYNC."""
    outcomes: list[str] = field(default_factory=list)
    """What became of each message that was judged or refused, for the metrics."""
    ended: str | None = None
    """Why a game ended in this call, for the metrics."""

    def to_all(self, op_code: OpCode, payload: Sent) -> None:
        """Sends to everybody in the match."""
        self.broadcasts.append(Broadcast(op_code, encode(payload)))

    def to_one(self, session_id: str, op_code: OpCode, payload: Sent) -> None:
        """Sends to one connection."""
        self.broadcasts.append(Broadcast(op_code, encode(payload), (session_id,)))


class Step(Struct, frozen=True):
    """The outcome of one call."""

    state: bytes
    broadcasts: list[Broadcast]
    label: str | None
    kicks: list[str]
    end: bool
    wake_at_ms: int | None
    log: list[bytes]
    new_record: bool
    effects: list[Effect]
    outcomes: list[str]
    ended: str | None
