"""What players send and receive, as typed values and as JSON (DESIGN section 5, `client.proto`).

The JSON is the proto3 JSON form of the messages in `client.proto`: lowerCamelCase, defaults written out,
absent optionals left out. A field typed `UnsetType` is such an optional. Enum values travel as the full
names that `client.proto` gives them.
"""

from enum import IntEnum
from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from match_handler.lenient_json import JsonError, read_object
from set_core.text import text_problem

MAX_CLAIM_ID_CHARACTERS: Final = 64
"""The longest id a client may give a claim."""

MAX_PAYLOAD_BYTES: Final = 4096
"""The longest message a player may send: Nakama's own default limit for a frame."""


class OpCode(IntEnum):
    """Which message a payload is; the numbers are `OpCode` of `client.proto`."""

    CLAIM = 1
    SYNC = 2
    READY = 3
    REMATCH = 4
    HINT = 5
    SNAPSHOT = 101
    MATCH_STARTED = 102
    CLAIM_RESULT = 103
    CLAIM_REJECTED = 104
    BOARD_EXPANDED = 105
    PLAYER_CHANGED = 106
    MATCH_ENDED = 107
    HINT_RESULT = 108
    SERVICE_STATUS = 109


PLAYER_OP_CODES: Final = (OpCode.CLAIM, OpCode.SYNC, OpCode.READY, OpCode.REMATCH, OpCode.HINT)
"""The op codes that players may send."""


class Received(Struct, rename="camel", forbid_unknown_fields=True):
    """Base of what players send: unknown fields are refused."""


class Sent(Struct, rename="camel", gc=False):
    """Base of what players receive."""


class Claim(Received):
    """OpCode.CLAIM: three cards are a Set."""

    claim_id: str
    card_ids: Annotated[list[Annotated[int, Meta(ge=0, le=80)]], Meta(min_length=3, max_length=3)]
    seat: Annotated[int, Meta(ge=0, le=7)] | UnsetType = UNSET


class Empty(Received):
    """OpCode.SYNC, READY, REMATCH and HINT: the op code says it all."""


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
    results: Results | UnsetType = UNSET


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


class ServiceStatus(Sent):
    """OpCode.SERVICE_STATUS: whether the referee is there; sent by the shim, from its notices."""

    paused: bool
    closed: bool = False


class _ClaimIdOnly(Struct, rename="camel"):
    claim_id: str = ""


_Message = TypeVar("_Message", bound=Received)
_encoder = msgspec.json.Encoder()
_claim_decoder = msgspec.json.Decoder(Claim)
_empty_decoder = msgspec.json.Decoder(Empty)
_claim_id_decoder = msgspec.json.Decoder(_ClaimIdOnly)

encode = _encoder.encode
"""JSON bytes of a payload."""


class MalformedPayloadError(ValueError):
    """A player's message does not fit its op code; the text names what is wrong and what is allowed."""


def _decode(decoder: "msgspec.json.Decoder[_Message]", raw: bytes, kind: type[_Message]) -> _Message:
    """Reads what most clients write quickly, and every other accepted form (E62) in a second attempt."""
    if len(raw) > MAX_PAYLOAD_BYTES:
        raise MalformedPayloadError(f"payload: {len(raw)} bytes, at most {MAX_PAYLOAD_BYTES} are allowed")
    try:
        message = decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decode_any_form(raw, kind)
    # One colon for each field: then no field can be there twice, which the decoder would not notice.
    return message if raw.count(b":") == _count_fields(message) else _decode_any_form(raw, kind)


def _decode_any_form(raw: bytes, kind: type[_Message]) -> _Message:
    try:
        return read_object(raw, kind)
    except JsonError as error:
        raise MalformedPayloadError(str(error) if error.field else f"payload: {error}") from None


def _count_fields(message: Received) -> int:
    return sum(getattr(message, name) is not UNSET for name in message.__struct_fields__)


def decode_claim(raw: bytes) -> Claim:
    """Reads a claim.

    Raises:
        MalformedPayloadError: it is not a `Claim`, its id is not clean text (E61), or its three cards are not
            different (D3).
    """
    claim = _decode(_claim_decoder, raw, Claim)
    problem = text_problem(claim.claim_id, MAX_CLAIM_ID_CHARACTERS)
    if problem is not None:
        raise MalformedPayloadError(f"claimId is {claim.claim_id[:MAX_CLAIM_ID_CHARACTERS]!a}: {problem}")
    if len(set(claim.card_ids)) != len(claim.card_ids):
        raise MalformedPayloadError("cardIds: three different cards are needed")
    return claim


def decode_empty(raw: bytes) -> Empty:
    """Reads a message without content; no bytes at all are taken for `{}`.

    Raises:
        MalformedPayloadError: it has content.
    """
    return _decode(_empty_decoder, raw or b"{}", Empty)


def readable_claim_id(raw: bytes) -> str:
    """The claim id of a message that may be malformed elsewhere; "" where no allowed one can be read."""
    try:
        claim_id = _claim_id_decoder.decode(raw[:MAX_PAYLOAD_BYTES]).claim_id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return "" if text_problem(claim_id, MAX_CLAIM_ID_CHARACTERS) else claim_id
