"""Payloads from players: JSON parser and validation (DESIGN section 5, `client.proto`)."""

from typing import Annotated, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from match_handler.protocol.lenient_json import JsonError, read_object
from set_core.text import text_problem

MAX_CLAIM_ID_CHARACTERS: Final = 64
"""The maximum length of a claim id."""

MAX_PAYLOAD_BYTES: Final = 4096
"""The maximum size of a player's message; Nakama's default limit for a frame is the same."""


class PlayerPayload(Struct, rename="camel", forbid_unknown_fields=True):
    """Base class of payloads from players; unknown fields are errors."""


class Claim(PlayerPayload):
    """OpCode.CLAIM: a claim that three cards are a Set."""

    claim_id: str
    card_ids: Annotated[list[Annotated[int, Meta(ge=0, le=80)]], Meta(min_length=3, max_length=3)]
    seat: Annotated[int, Meta(ge=0, le=7)] | UnsetType = UNSET


class Empty(PlayerPayload):
    """OpCode.SYNC, READY, REMATCH, HINT and EXTEND: messages without fields."""


class Kick(PlayerPayload):
    """OpCode.KICK: remove a user before the start."""

    user_id: str


class _ClaimIdOnly(Struct, rename="camel"):
    claim_id: str = ""


_Message = TypeVar("_Message", bound=PlayerPayload)
_claim_decoder = msgspec.json.Decoder(Claim)
_empty_decoder = msgspec.json.Decoder(Empty)
_kick_decoder = msgspec.json.Decoder(Kick)
_claim_id_decoder = msgspec.json.Decoder(_ClaimIdOnly)


class MalformedPayloadError(ValueError):
    """A payload that does not fit its op code. The text names the problem and the allowed values."""


def _decode(decoder: "msgspec.json.Decoder[_Message]", raw: bytes, kind: type[_Message]) -> _Message:
    """Parse a payload with msgspec, or with the slower `read_object` for other accepted forms (E62)."""
    if len(raw) > MAX_PAYLOAD_BYTES:
        raise MalformedPayloadError(f"payload: {len(raw)} bytes, at most {MAX_PAYLOAD_BYTES} are allowed")
    try:
        message = decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _decode_leniently(raw, kind)
    # msgspec does not detect duplicate fields. With one colon per parsed field there are no duplicates.
    return message if raw.count(b":") == _count_fields(message) else _decode_leniently(raw, kind)


def _decode_leniently(raw: bytes, kind: type[_Message]) -> _Message:
    try:
        return read_object(raw, kind)
    except JsonError as error:
        raise MalformedPayloadError(str(error) if error.field else f"payload: {error}") from None


def _count_fields(message: PlayerPayload) -> int:
    return sum(getattr(message, name) is not UNSET for name in message.__struct_fields__)


def decode_claim(raw: bytes) -> Claim:
    """Parse a claim.

    Raises:
        MalformedPayloadError: the payload is not a `Claim`, its claim id is not clean text (E61), or its
            cards are not distinct (D3).
    """
    claim = _decode(_claim_decoder, raw, Claim)
    problem = text_problem(claim.claim_id, MAX_CLAIM_ID_CHARACTERS)
    if problem is not None:
        raise MalformedPayloadError(f"claimId is {claim.claim_id[:MAX_CLAIM_ID_CHARACTERS]!a}: {problem}")
    if len(set(claim.card_ids)) != len(claim.card_ids):
        raise MalformedPayloadError("cardIds: three different cards are needed")
    return claim


def decode_empty(raw: bytes) -> Empty:
    """Parse a message without fields: `{}` or no bytes.

    Raises:
        MalformedPayloadError: the payload has content.
    """
    return _decode(_empty_decoder, raw or b"{}", Empty)


def decode_kick(raw: bytes) -> Kick:
    """Parse a kick.

    Raises:
        MalformedPayloadError: the payload is not a `Kick`.
    """
    return _decode(_kick_decoder, raw, Kick)


def readable_claim_id(raw: bytes) -> str:
    """Return the claim id of a possibly malformed claim; "" if it has no valid claim id."""
    try:
        claim_id = _claim_id_decoder.decode(raw[:MAX_PAYLOAD_BYTES]).claim_id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return "" if text_problem(claim_id, MAX_CLAIM_ID_CHARACTERS) else claim_id
