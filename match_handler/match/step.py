"""The step: the outcome of a call. The classes mirror messages of `match_handler.proto`."""

from enum import Enum

from msgspec import Struct, field

from match_handler.protocol.payloads import OpCode, ServerPayload, encode


class Broadcast(Struct, frozen=True, gc=False):
    """A message to connections of the match."""

    op_code: OpCode
    data: bytes
    """The payload as JSON."""
    audience: tuple[str, ...] | None = None
    """Session ids of the receivers; None for all connections."""


class StorageWrite(Struct, frozen=True, gc=False, kw_only=True):
    """An object for Nakama's storage."""

    collection: str
    key: str
    value: bytes
    """A JSON object."""
    record_field: str
    """The field of `value` into which the shim inserts the lines of the record; empty for no lines."""
    permission_read: int
    """Nakama's read permission: 0 nobody, 1 the owner, 2 everybody."""
    create_only: bool
    """Whether to keep an existing object with the same key."""
    expires_unix_ms: int
    """When the shim stops retrying the write, in milliseconds since 1970."""


class Operator(Enum):
    """How a leaderboard combines a new score with the previous score of the owner."""

    BEST = "best"
    INCREMENT = "increment"


class Quota(Struct, frozen=True, gc=False):
    """A limit for writes, which the shim counts in Nakama's storage."""

    collection: str
    key: str
    """Prefix of the storage keys."""
    most: int
    """Maximum number of writes, at least 1."""


class LeaderboardWrite(Struct, frozen=True, gc=False, kw_only=True):
    """A score for one of Nakama's leaderboards."""

    leaderboard_id: str
    operator: Operator
    owner_id: str
    username: str
    score: int
    subscore: int
    """The order among equal scores; higher is better."""
    metadata: bytes
    """A JSON object that identifies the game."""
    expires_unix_ms: int
    """When the shim stops retrying the write, in milliseconds since 1970."""
    quota: Quota | None = None
    """The limit for this write; None for no limit."""


Effect = StorageWrite | LeaderboardWrite
"""A write outside the match, independent of all other writes."""


class Outbox(Struct):
    """Collects broadcasts, kicks and effects during one call."""

    broadcasts: list[Broadcast] = field(default_factory=list)
    kicks: list[str] = field(default_factory=list)
    """Session ids of connections to remove from the match."""
    log: list[bytes] = field(default_factory=list)
    """Lines for the record, each as JSON."""
    effects: list[Effect] = field(default_factory=list)
    new_record: bool = False
    """Whether a new record starts with the lines of this call."""
    synced: set[str] = field(default_factory=set)
    """Session ids that have received a snapshot for SYNC in this call, with TICK only."""
    outcomes: list[str] = field(default_factory=list)
    """Outcome of each judged claim and each rejected message, for the metrics."""
    ended: str | None = None
    """Why a game ended in this call, for the metrics; None if no game ended."""

    def to_all(self, op_code: OpCode, payload: ServerPayload) -> None:
        """Append a broadcast to all connections."""
        self.broadcasts.append(Broadcast(op_code, encode(payload)))

    def to_one(self, session_id: str, op_code: OpCode, payload: ServerPayload) -> None:
        """Append a broadcast to one connection."""
        self.broadcasts.append(Broadcast(op_code, encode(payload), (session_id,)))


class Step(Struct, frozen=True):
    """The outcome of one call. `Outbox` describes the fields that are copied from it."""

    state: bytes
    """The encoded state for the next call."""
    broadcasts: list[Broadcast]
    label: str | None
    """The new label as JSON; None if it has not changed."""
    kicks: list[str]
    end: bool
    """Whether the shim must stop the match after the broadcasts."""
    wake_at_ms: int | None
    """Match-clock time of the next due event; None if there is none."""
    log: list[bytes]
    new_record: bool
    effects: list[Effect]
    outcomes: list[str]
    ended: str | None
