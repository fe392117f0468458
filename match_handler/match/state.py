"""The state of a match, and its bytes that the shim keeps between calls (DESIGN sections 1, 4).

The bytes are a msgpack array `[version, readable_from, rules, body]`. A later version that only appends
fields keeps `readable_from`, so the version before still reads its states (it drops what it does not know);
one that changes a meaning raises it, and an older replica then refuses the state instead of misreading it. A
state of other rules is refused too, so that no match is judged by two versions of them.
"""

from hashlib import blake2b
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct, field

from set_core.session import RULES_VERSION
from set_core.state import SessionState

VERSION: Final = 1
"""The version that this code writes."""

READABLE_FROM: Final = 1
"""The oldest version whose code can read what this code writes."""


LATEST_UNIX_MS: Final = 253_370_764_800_000
"""The start of the year 9999: the latest time of day at which a match may begin."""


REMEMBERED_CLAIMS: Final = 32
"""How many claim ids a seat remembers, so that a claim sent twice is judged once."""


class StateError(ValueError):
    """The bytes are not a state."""


class OtherVersionError(StateError):
    """The state belongs to another version of the service: it must be sent to a replica of that version."""


class Connection(Struct, array_like=True):
    """One connection in the match, of a player or a spectator."""

    session_id: str
    user_id: str
    username: str
    window_started_unix_ms: int = 0
    """When the current second of the rate limit began."""
    window_count: int = 0
    """Messages in it."""


class Reservation(Struct, array_like=True):
    """A place that is kept for a user until a time that is never extended."""

    user_id: str
    username: str
    made_ms: int
    until_ms: int
    session_id: str | None = None
    """The connection whose attempt was allowed; None for a user who has not attempted to join."""
    watching: bool = False
    """Whether the place is a spectator's."""


class BotPlan(Struct, array_like=True):
    """What a bot is about to claim."""

    board_version: int
    """The board it was made for."""
    due_ms: int
    card_ids: tuple[int, int, int] | None
    """None: it sees nothing on this board."""


def _fingerprint(claim_id: str) -> bytes:
    return blake2b(claim_id.encode(), digest_size=16).digest()


class Seat(Struct, array_like=True):
    """One player's place. It belongs to a user (or to a bot), whatever connection the user is on."""

    user_id: str
    username: str
    bot_level: str | None = None
    session_id: str | None = None
    """The connection that plays it; None while there is none."""
    reconnect_deadline_ms: int | None = None
    ready: bool = False
    judged_claims: list[bytes] = field(default_factory=list)
    """128-bit hashes of the claim ids judged last, oldest first."""
    bot_plan: BotPlan | None = None
    was_away: bool = False
    """Whether nobody was there when the game ended."""
    claims_judged: int = 0
    """How many claims of this seat were judged in the current game."""

    def has_judged(self, claim_id: str) -> bool:
        """Whether a claim with this id is among the last `REMEMBERED_CLAIMS` that were judged (E14)."""
        return _fingerprint(claim_id) in self.judged_claims

    def remember_judged(self, claim_id: str) -> None:
        """Remember the id of a claim that was judged."""
        self.judged_claims = [*self.judged_claims[1 - REMEMBERED_CLAIMS :], _fingerprint(claim_id)]


class MatchState(Struct, array_like=True):
    """A whole match between two calls."""

    options: bytes
    """The stored form of the options."""
    started_unix_ms: Annotated[int, Meta(ge=0, le=LATEST_UNIX_MS)]
    fill_deadline_ms: int
    """Until when the match must be full enough to start."""
    idle_ms: int
    """After how long without any message of a player the match ends; 0: never."""
    ranked_ms: int
    """How long a game must last for its win to count on the leaderboard."""
    chance: int
    """The state of the generator that bots draw from."""
    secret: Annotated[bytes, Meta(min_length=16, max_length=16)]
    """Random bytes that the keys of the match's records are made from."""
    seq: int = 0
    game: int = 0
    label: str = ""
    """The label as last set."""
    seats: list[Seat] = field(default_factory=list)
    connections: list[Connection] = field(default_factory=list)
    reservations: list[Reservation] = field(default_factory=list)
    session: SessionState | None = None
    """The game being played or just ended; None before the first."""
    closes_at_ms: int | None = None
    """When an ended match is closed."""
    closed: bool = False
    """Whether the match is over for good."""
    creator_id: str = ""
    """The user who created the match; empty if it was created for others."""
    last_input_ms: int = 0
    """When a player last sent a message."""
    kicked: list[str] = field(default_factory=list)
    """User ids that may not join any more."""
    unused: list[str] = field(default_factory=list)
    """User ids whose reservations ended before they joined; they get no other."""


class _Envelope(Struct, array_like=True):
    version: int
    readable_from: int
    rules: int
    body: msgspec.Raw


_encoder = msgspec.msgpack.Encoder()
_envelope_decoder = msgspec.msgpack.Decoder(_Envelope)
_body_decoder = msgspec.msgpack.Decoder(MatchState)


def encode_state(state: MatchState) -> bytes:
    """The state as bytes."""
    return _encoder.encode(
        _Envelope(VERSION, READABLE_FROM, RULES_VERSION, msgspec.Raw(_encoder.encode(state)))
    )


def decode_state(raw: bytes) -> MatchState:
    """The state that `encode_state` of this or a neighbouring version wrote.

    Raises:
        OtherVersionError: written by a version whose states this one cannot read, or judged by other rules.
        StateError: not a state.
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
