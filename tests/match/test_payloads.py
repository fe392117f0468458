"""Every payload is the proto3 JSON form of its message in client.proto, field by field."""

import json
import re
from typing import Any

import msgspec
import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Struct

from match_handler.match import views
from match_handler.protocol import payloads, received
from match_handler.protocol.lenient_json import read_object
from match_handler.protocol.notices import NOTICES
from match_handler.protocol.options import prefix_of, public_form
from match_handler.protocol.payloads import OpCode
from match_handler.protocol.received import (
    MalformedPayloadError,
    decode_claim,
    decode_empty,
    readable_claim_id,
)
from match_handler.v1 import client_pb2 as pb
from set_core.cards import Attribute
from set_core.events import InvalidReason, RejectionReason
from set_core.options import BotLevel, ClaimOrder, Mode, Penalty
from set_core.phase import Phase
from set_core.results import EndReason
from set_core.text import text_problem
from tests.match.wire_form import MESSAGES, parse_strictly, round_trip
from tests.strategies import online_options

STRUCTS: dict[type[Struct], type[Message]] = {
    received.Claim: pb.Claim,
    received.Kick: pb.Kick,
    payloads.FillTime: pb.FillTime,
    payloads.Slot: pb.Slot,
    payloads.Player: pb.Player,
    payloads.Standing: pb.Standing,
    payloads.Results: pb.Results,
    payloads.MatchEnded: pb.MatchEnded,
    payloads.MatchStarted: pb.MatchStarted,
    payloads.Snapshot: pb.Snapshot,
    payloads.ClaimResult: pb.ClaimResult,
    payloads.ClaimRejected: pb.ClaimRejected,
    payloads.BoardExpanded: pb.BoardExpanded,
    payloads.PlayerChanged: pb.PlayerChanged,
    payloads.HintResult: pb.HintResult,
    payloads.ServiceStatus: pb.ServiceStatus,
}
KINDS = {
    FieldDescriptor.TYPE_INT32: int,
    FieldDescriptor.TYPE_STRING: str,
    FieldDescriptor.TYPE_BOOL: bool,
    FieldDescriptor.TYPE_ENUM: str,
}
ALWAYS_SENT = {"options", "player"}
"""Nested messages that are never omitted."""
INT32 = st.integers(-(2**31), 2**31 - 1)


def fields_of(struct: type[Struct]) -> dict[str, msgspec.inspect.Field]:
    described = msgspec.inspect.type_info(struct)
    assert isinstance(described, msgspec.inspect.StructType)
    return {field.encode_name: field for field in described.fields}


def test_every_payload_class_has_its_message() -> None:
    classes = {
        value
        for value in [*vars(payloads).values(), *vars(received).values()]
        if isinstance(value, type) and issubclass(value, payloads.ServerPayload | received.PlayerPayload)
    }
    bases = {payloads.ServerPayload, received.PlayerPayload, payloads.GameStatus, received.Empty}
    assert classes - bases == set(STRUCTS)


@pytest.mark.parametrize(("struct", "message"), STRUCTS.items(), ids=lambda kind: kind.__name__)
def test_struct_and_message_have_the_same_fields(struct: type[Struct], message: type[Message]) -> None:
    wanted = {field.json_name for field in message.DESCRIPTOR.fields}
    assert set(fields_of(struct)) == wanted


@pytest.mark.parametrize(("struct", "message"), STRUCTS.items(), ids=lambda kind: kind.__name__)
def test_optional_fields_are_the_same_in_struct_and_message(
    struct: type[Struct], message: type[Message]
) -> None:
    may_be_absent = {name for name, field in fields_of(struct).items() if defaults_to_unset(field)}
    optional = {field.json_name for field in message.DESCRIPTOR.fields if field.has_presence}
    assert may_be_absent == optional - ALWAYS_SENT


def defaults_to_unset(field: msgspec.inspect.Field) -> bool:
    """Return whether the field is optional without a default value."""
    return not field.required and field.default is msgspec.NODEFAULT


@pytest.mark.parametrize("message", [pb.Sync, pb.Ready, pb.Rematch, pb.Hint, pb.Extend])
def test_messages_without_content_have_no_fields(message: type[Message]) -> None:
    assert message.DESCRIPTOR.fields == []
    assert decode_empty(b"{}") == decode_empty(b"") == received.Empty()


def test_op_codes_match_the_proto() -> None:
    assert {code.name: code.value for code in OpCode} == {
        name.removeprefix("OP_CODE_"): number for name, number in pb.OpCode.items() if number
    }
    assert set(MESSAGES) == set(OpCode)


def names_of(enum: Any, prefix: str) -> set[str]:
    return {name for name in enum.keys() if not name.endswith("_UNSPECIFIED") and name.startswith(prefix)}  # noqa: SIM118 - a wrapper, not a dict


def test_enum_values_have_the_proto_names() -> None:
    assert set(views.PHASES.values()) == names_of(pb.Phase, "PHASE_")
    assert set(views.END_REASONS.values()) == names_of(pb.EndReason, "END_REASON_")
    assert set(views.ATTRIBUTES.values()) == names_of(pb.Attribute, "ATTRIBUTE_")
    for kind in (Mode, Penalty, ClaimOrder, BotLevel):
        prefix = prefix_of(kind)
        assert {f"{prefix}{value}" for value in kind} == names_of(getattr(pb, kind.__name__), prefix)
    reasons = {f"CLAIM_REASON_{reason.name}" for kind in (InvalidReason, RejectionReason) for reason in kind}
    assert reasons == names_of(pb.ClaimReason, "CLAIM_REASON_")
    assert set(views.PHASES) == set(Phase)
    assert set(views.END_REASONS) == set(EndReason)
    assert set(views.ATTRIBUTES) == set(Attribute)


def value_for(field: Any) -> st.SearchStrategy[Any]:
    if field.message_type is pb.MatchOptions.DESCRIPTOR:
        return online_options().map(public_form)
    if field.message_type is not None:
        one: st.SearchStrategy[Any] = values_of(field.message_type)
    elif field.enum_type is not None:
        one = st.sampled_from([value.name for value in field.enum_type.values])
    else:
        one = {int: INT32, str: st.text(max_size=9), bool: st.booleans()}[KINDS[field.type]]
    return st.lists(one, max_size=3) if field.is_repeated else one


BY_DESCRIPTOR = {message.DESCRIPTOR.full_name: struct for struct, message in STRUCTS.items()}


def values_of(descriptor: Any) -> st.SearchStrategy[Struct]:
    """Return a strategy for payloads of this message with arbitrary field values."""
    struct = BY_DESCRIPTOR[descriptor.full_name]
    parts: dict[str, st.SearchStrategy[Any]] = {}
    for name, field in fields_of(struct).items():
        value = value_for(descriptor.fields_by_camelcase_name[name])
        parts[field.name] = value | st.just(UNSET) if defaults_to_unset(field) else value
    return st.builds(struct, **parts)


@pytest.mark.parametrize(("struct", "message"), STRUCTS.items(), ids=lambda kind: kind.__name__)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_payload_parses_strictly_and_round_trips(
    struct: type[Struct], message: type[Message], data: st.DataObject
) -> None:
    payload = data.draw(values_of(message.DESCRIPTOR))
    assert isinstance(payload, struct)
    raw = payloads.encode(payload)
    assert round_trip(raw, message) == json.loads(raw)


def test_messages_created_by_the_shim_are_the_proto_form() -> None:
    statuses = [NOTICES.paused, NOTICES.resumed, NOTICES.closed, NOTICES.restarting]
    messages = [*statuses, NOTICES.overflow[OpCode.CLAIM]]
    assert [parse_strictly(notice.op_code, notice.data) for notice in messages] == [
        {"paused": True, "closed": False, "restarting": False},
        {"paused": False, "closed": False, "restarting": False},
        {"paused": True, "closed": True, "restarting": False},
        {"paused": True, "closed": False, "restarting": True},
        {
            "claimId": "",
            "reason": "CLAIM_REASON_RATE_LIMITED",
            "opCode": 1,
            "message": "too many messages wait for the service",
        },
    ]


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_arbitrary_bytes_are_a_claim_or_malformed(raw: bytes) -> None:
    try:
        claim = decode_claim(raw)
    except MalformedPayloadError:
        assert len(readable_claim_id(raw)) <= received.MAX_CLAIM_ID_CHARACTERS
    else:
        assert len(set(claim.card_ids)) == 3


CLEAN_IDS = st.text(min_size=1, max_size=64).filter(lambda text: text_problem(text, 64) is None)
CARDS = st.lists(st.integers(0, 80), min_size=3, max_size=3, unique=True)


@settings(deadline=None)
@given(CLEAN_IDS, CARDS, st.integers(0, 7) | st.none())
def test_every_claim_of_a_protobuf_client_is_parsed(
    claim_id: str, cards: list[int], seat: int | None
) -> None:
    written = json_format.MessageToJson(pb.Claim(claim_id=claim_id, card_ids=cards, seat=seat))
    claim = decode_claim(written.encode())
    assert (claim.claim_id, claim.card_ids) == (claim_id, cards)
    assert claim.seat == (UNSET if seat is None else seat)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"claimId": "a", "cardIds": [40.0, 1.0, 2.0]}',
        b'{"claimId": "a", "cardIds": [4e1, 1, 20E-1]}',
        b'{"claimId": "a", "cardIds": [40, 1, 2], "seat": null}',
        b'{"cla\\u0069mId": "a", "cardIds": [40, 1, 2]}',
    ],
)
def test_other_notations_of_a_claim_are_accepted(raw: bytes) -> None:
    assert decode_claim(raw) == received.Claim("a", [40, 1, 2])


def test_colon_in_a_claim_id_is_not_a_field() -> None:
    assert decode_claim(b'{"claimId": "a:b", "cardIds": [40, 1, 2]}').claim_id == "a:b"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{"claimId": "a\\u0000b", "cardIds": [0, 1, 2]}', "claimId is 'a\\x00b': the character U+0000"),
        (b'{"claimId": "a\\u200bb", "cardIds": [0, 1, 2]}', "the character U+200B is not allowed"),
        (b'{"claimId": "a\\ud800b", "cardIds": [0, 1, 2]}', "the character U+D800 is not allowed"),
        (b'{"claimId": "\\n", "cardIds": [0, 1, 2]}', "the character U+000A is not allowed"),
        (b'{"claimId": "", "cardIds": [0, 1, 2]}', "claimId is '': allowed are 1..64 characters"),
        (b'{"claimId": "a", "claimId": "a", "cardIds": [0, 1, 2]}', "claimId: given more than once"),
        (b'{"claimId": "a", "cardIds": [0, 1, 2], "seat": 1, "seat": 2}', "seat: given more than once"),
        (b'{"claimId": "a"}', "cardIds: needed, but not given"),
        (b'{"claimId": "a", "cardIds": [0, 1, 81]}', "cardIds[2]: expected a whole number <= 80"),
        (b'{"claimId": "a", "cardIds": [0, 1, 2.5]}', "expected a whole number, got a fraction"),
        (b'{"claimId": "a", "cardIds": ["0", 1, 2]}', "expected a whole number, got a string"),
        (b'{"claimId": "a", "cardIds": [5, 5, 6]}', "cardIds: three different cards are needed"),
        (b'{"claimId": "a", "cardIds": [0, 1, 2], "score": 9}', "score is not a field: allowed are claimId,"),
        (b'{"a` - at `$.zzz": 1}', "'a` - at `$.zzz' is not a field: names have"),
        (b'{"\\ud800": 1}', "'\\ud800' is not a field: names have"),
        (b"[]", "payload: expected an object, got a list"),
        (b"{", "payload: not a JSON object in UTF-8"),
        (b"{NaN}", "payload: not a JSON object in UTF-8"),
        (b" " * 4097, "payload: 4097 bytes, at most 4096 are allowed"),
    ],
)
def test_malformed_claim_error_has_the_reason(raw: bytes, words: str) -> None:
    with pytest.raises(MalformedPayloadError, match=re.escape(words)):
        decode_claim(raw)


@settings(deadline=None)
@given(st.binary(max_size=60) | CLEAN_IDS.map(lambda text: json.dumps({"claimId": text}).encode()))
def test_exact_parser_accepts_all_that_the_fast_one_accepts(raw: bytes) -> None:
    try:
        quick = msgspec.json.decode(raw, type=received.Claim)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return
    assert read_object(raw, received.Claim) == quick
