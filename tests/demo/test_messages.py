"""The demo's message classes match `client.proto`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from demo.client import messages, vocabulary
from demo.client.messages import MESSAGES, ServiceStatus, UnreadableMessageError, read
from demo.client.vocabulary import Op
from match_handler.v1 import client_pb2

if TYPE_CHECKING:
    from enum import StrEnum

STRUCTS = [
    kind
    for kind in vars(messages).values()
    if isinstance(kind, type)
    and issubclass(kind, messages.Wire)
    and kind not in (messages.Wire, messages.Message, messages.Numbered)
]
ALWAYS_THERE = {"options", "animationMs", "player"}
NAMES = {"Options": "MatchOptions"}
ENUMS = {
    vocabulary.Phase: client_pb2.Phase,
    vocabulary.Reason: client_pb2.ClaimReason,
    vocabulary.Status: client_pb2.PlayerStatus,
    vocabulary.Change: client_pb2.PlayerChange,
    vocabulary.End: client_pb2.EndReason,
}


def optional_fields(kind: type[messages.Wire]) -> set[str]:
    return {field.encode_name for field in msgspec.structs.fields(kind) if not field.required}


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.__name__)
def test_every_message_has_the_fields_of_the_protocol(kind: type[messages.Wire]) -> None:
    descriptor = client_pb2.DESCRIPTOR.message_types_by_name[NAMES.get(kind.__name__, kind.__name__)]
    assert set(kind.__struct_encode_fields__) == {field.json_name for field in descriptor.fields}
    absent = {field.json_name for field in descriptor.fields if field.has_presence}
    assert optional_fields(kind) == absent - ALWAYS_THERE


@pytest.mark.parametrize("own", ENUMS, ids=lambda own: own.__name__)
def test_enum_values_match_the_protocol(own: type[StrEnum]) -> None:
    sent = {name for name, number in ENUMS[own].items() if number != 0}
    assert {word.value for word in own} - {"CLAIM_REASON_UNSPECIFIED"} == sent


def test_op_codes_match_the_protocol() -> None:
    protocol = {name.removeprefix("OP_CODE_"): number for name, number in client_pb2.OpCode.items() if number}
    assert {op.name: op.value for op in Op} == protocol


def test_message_is_parsed() -> None:
    expected = ServiceStatus(paused=True, closed=False, restarting=False)
    assert read(109, b'{"paused": true, "closed": false, "restarting": false}') == expected


@pytest.mark.parametrize(
    ("op_code", "payload"),
    [
        (109, b'{"paused": true}'),
        (109, b'{"paused": true, "closed": false, "restarting": false, "more": 1}'),
        (109, b'{"paused": 1, "closed": false, "restarting": false}'),
        (109, b"{"),
        (1, b"{}"),
        (111, b"{}"),
    ],
)
def test_malformed_message_is_an_error(op_code: int, payload: bytes) -> None:
    with pytest.raises(UnreadableMessageError, match=f"op code {op_code}"):
        read(op_code, payload)


def test_every_op_code_of_the_match_has_a_message() -> None:
    assert set(MESSAGES) == {op for op in Op if op >= Op.SNAPSHOT}
