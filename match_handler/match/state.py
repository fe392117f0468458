"""The state of a match and its encoding, which the shim keeps between two calls (DESIGN sections 1 and 4).

The bytes are a msgpack array `[version, readable_from, rules, body]`:

- A new version that only appends fields keeps `readable_from`. Older replicas can decode its states and drop
  the unknown fields.
- A new version that changes the meaning of a field increases `readable_from`. Older replicas then reject its
  states.
- `rules` is the version of the rules. A replica with other rules rejects the state, so that a match is never
  judged by two versions of the rules.

Fields are encoded by position: append new fields at the end, with a default.
"""

from hashlib import blake2b
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct, field

from set_core.session import RULES_VERSION
from set_core.state import SessionState

VERSION: Final = 1
"""The version of the states that this code writes."""

READABLE_FROM: Final = 1
"""The oldest version whose code can decode the states that this code writes."""

LATEST_UNIX_MS: Final = 253_370_764_800_000
"""The latest time of MatchInit, in milliseconds since 1970: the start of the year 9999."""

REMEMBERED_CLAIMS: Final = 32
"""How many claim ids a seat stores, so that a repeated claim is judged only once."""


class StateError(ValueError):
    """The bytes are not a valid state."""


class OtherVersionError(StateError):
    """Another version of the service wrote the state; only a replica of that version can decode it."""


class Connection(Struct, array_like=True):
    """A connection of a player or a spectator."""

    session_id: str
    user_id: str
    username: str
    window_started_unix_ms: int = 0
    """Start of the current window of the rate limit, in milliseconds since 1970."""
    window_count: int = 0
    """Messages in the current window."""
    next_snapshot_ms: int = 0
    """The earliest match-clock time of the next response to SYNC, in milliseconds; with ARRIVAL only."""
    is_snapshot_requested: bool = False
    """Whether a SYNC waits for its response."""


class Reservation(Struct, array_like=True):
    """A seat or a spectator's place that is kept for a user for a limited time. Times are match-clock ms."""

    user_id: str
    username: str
    created_ms: int
    until_ms: int
    """End of the reservation; never extended."""
    session_id: str | None = None
    """The connection whose join attempt was allowed; None before a join attempt."""
    spectator: bool = False
    """Whether the reservation is for a spectator."""


class BotPlan(Struct, array_like=True):
    """The next claim of a bot."""

    board_version: int
    """The version of the board for which the plan was made."""
    due_ms: int
    """Match-clock time of the claim, in milliseconds."""
    card_ids: tuple[int, int, int] | None
    """None if the board has no Set."""


def _fingerprint(claim_id: str) -> bytes:
    return blake2b(claim_id.encode(), digest_size=16).digest()


class Seat(Struct, array_like=True):
    """The place of a player. It belongs to a user or to a bot, not to a connection."""

    user_id: str
    """Empty for a bot."""
    username: str
    bot_level: str | None = None
    """The name of the `BotLevel`; None for a user."""
    session_id: str | None = None
    """The connection of the player; None while disconnected."""
    reconnect_deadline_ms: int | None = None
    """End of the reconnect window on the match clock; None if there is no window."""
    ready: bool = False
    """Whether the player is ready for the start or for a rematch."""
    judged_claims: list[bytes] = field(default_factory=list)
    """128-bit hashes of the ids of the last judged claims, oldest first."""
    bot_plan: BotPlan | None = None
    was_disconnected: bool = False
    """Whether the player was disconnected when the game ended."""
    claims_judged: int = 0
    """Number of judged claims of this seat in the current game."""

    @property
    def is_disconnected(self) -> bool:
        """Whether the seat belongs to a user without a connection."""
        return self.bot_level is None and self.session_id is None

    def has_judged(self, claim_id: str) -> bool:
        """Return whether this claim id is among the last `REMEMBERED_CLAIMS` judged claims (E14)."""
        return _fingerprint(claim_id) in self.judged_claims

    def remember_judged(self, claim_id: str) -> None:
        """Store the id of a judged claim."""
        self.judged_claims = [*self.judged_claims[1 - REMEMBERED_CLAIMS :], _fingerprint(claim_id)]


class MatchState(Struct, array_like=True):
    """The state of a match between two calls. Times are match-clock milliseconds unless noted."""

    options: bytes
    """The options as `stored_form` of `match_handler.protocol.options` encodes them."""
    started_unix_ms: Annotated[int, Meta(ge=0, le=LATEST_UNIX_MS)]
    """The time of MatchInit, in milliseconds since 1970."""
    fill_deadline_ms: int
    """End of the fill time."""
    idle_ms: int
    """Time after which the match ends without any message of a player; 0 means never."""
    ranked_ms: int
    """Shortest duration of a game whose win counts on the leaderboard."""
    rng_state: int
    """The state of the random number generator of the bots."""
    secret: Annotated[bytes, Meta(min_length=16, max_length=16)]
    """Random bytes from which record keys and the invitation are derived."""
    seq: int = 0
    """Sequence number of the last broadcast to all connections."""
    game: int = 0
    """Number of the current game, from 1; 0 before the first start."""
    label: str = ""
    """The label after the last call."""
    seats: list[Seat] = field(default_factory=list)
    connections: list[Connection] = field(default_factory=list)
    reservations: list[Reservation] = field(default_factory=list)
    session: SessionState | None = None
    """The current game or the last one; None before the first start."""
    closed: bool = False
    """Whether the match is closed: all messages and join attempts are rejected."""
    creator_id: str = ""
    """The user who created the match; empty for a match without a creator."""
    last_input_ms: int = 0
    """Time of the last message of a player."""
    kicked_users: list[str] = field(default_factory=list)
    """User ids whose join attempts are rejected."""
    expired_users: list[str] = field(default_factory=list)
    """User ids whose reservation ended unused; they get no other reservation."""
    now_ms: int = 0
    """The match clock after the last call. It never decreases, also before the first game (E86)."""


class _Envelope(Struct, array_like=True):
    version: int
    readable_from: int
    rules: int
    body: msgspec.Raw


_encoder = msgspec.msgpack.Encoder()
_envelope_decoder = msgspec.msgpack.Decoder(_Envelope)
_body_decoder = msgspec.msgpack.Decoder(MatchState)


def encode_state(state: MatchState) -> bytes:
    """Encode a state."""
    return _encoder.encode(
        _Envelope(VERSION, READABLE_FROM, RULES_VERSION, msgspec.Raw(_encoder.encode(state)))
    )


def decode_state(raw: bytes) -> MatchState:
    """Decode a state that `encode_state` of this version or of a compatible version wrote.

    Raises:
        OtherVersionError: this version cannot decode the state, or the state is of other rules.
        StateError: the bytes are not a valid state.
    """
    try:
        envelope = _envelope_decoder.decode(raw)
        if envelope.readable_from > VERSION:
            raise OtherVersionError(
                f"state: version {envelope.version} needs a reader of version {envelope.readable_from}, "
                f"this service is version {VERSION}"
            )
        if envelope.rules != RULES_VERSION:
            raise OtherVersionError(
                f"state: judged by version {envelope.rules} of the rules, this service has {RULES_VERSION}"
            )
        return _body_decoder.decode(envelope.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StateError("state: not readable") from error
