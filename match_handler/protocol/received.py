"""What players send, read from JSON and checked (DESIGN section 5, `client.proto`)."""

from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from match_handler.protocol.lenient_json import JsonError, read_object
from set_core.text import text_problem

MAX_CLAIM_ID_CHARACTERS: Final = 64
"""The longest id a client may give a claim."""

MAX_PAYLOAD_BYTES: Final = 4096
"""The longest message a player may send: Nakama's own default limit for a frame."""


class Received(Struct, rename="camel", forbid_unknown_fields=True):
    """Base of what players send: unknown fields are refused."""


class Claim(Received):
    """OpCode.CLAIM: three cards are a Set."""

    claim_id: str
    card_ids: Annotated[list[Annotated[int, Meta(ge=0, le=80)]], Meta(min_length=3, max_length=3)]
    seat: Annotated[int, Meta(ge=0, le=7)] | UnsetType = UNSET


class Empty(Received):
    """OpCode.SYNC, READY, REMATCH, HINT and EXTEND: messages without fields."""


class Kick(Received):
    """OpCode.KICK: remove a user before the start."""

    user_id: str


class _ClaimIdOnly(Struct, rename="camel"):
    claim_id: str = ""


_Message = TypeVar("_Message", bound=Received)
_claim_decoder = msgspec.json.Decoder(Claim)
_empty_decoder = msgspec.json.Decoder(Empty)
_kick_decoder = msgspec.json.Decoder(Kick)
_claim_id_decoder = msgspec.json.Decoder(_ClaimIdOnly)


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


def decode_kick(raw: bytes) -> Kick:
    """Reads a kick.

    Raises:
        MalformedPayloadError: it is not a `Kick`.
    """
    return _decode(_kick_decoder, raw, Kick)


def readable_claim_id(raw: bytes) -> str:
    """The claim id of a message that may be malformed elsewhere; "" where no allowed one can be read."""
    try:
        claim_id = _claim_id_decoder.decode(raw[:MAX_PAYLOAD_BYTES]).claim_id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return "" if text_problem(claim_id, MAX_CLAIM_ID_CHARACTERS) else claim_id
