"""Fuzz targets: each accepts any bytes and raises only for an error of the service.

An expected rejection is not an error. An undocumented exception is one, and so is a response that violates an
invariant.
"""

from collections.abc import Callable
from functools import cache
from typing import Final

import grpc
from google.protobuf.message import DecodeError, Message

from match_handler.match.context import Moment, Presence
from match_handler.match.inputs import Input
from match_handler.match.match import Match
from match_handler.match.replay import RecordError, differences, parse_record
from match_handler.match.state import StateError, decode_state, encode_state
from match_handler.protocol.options import complete_form, options_of, parse_options
from match_handler.protocol.payloads import OpCode
from match_handler.service.servicer import MatchHandler
from match_handler.v1 import match_handler_pb2 as pb
from set_core import OptionsError
from tests.match.wire_form import parse_strictly
from tests.proof.calling import CallEnded, call

MATCH_ID: Final = "match"
NOW_MS: Final = 10_000
OPTIONS: Final = {
    order: f'{{"mode": "SINGLE_PLAYER", "seed": 7, "hints": true, "claimOrder": "{order}"}}'.encode()
    for order in ("TICK", "ARRIVAL")
}
ANN: Final = Presence("ann", "ann-1", "ann")
SERVICE: Final = MatchHandler(allow_seed=True)
METHODS: Final[list[tuple[Callable[..., Message], type[Message]]]] = [
    (SERVICE.MatchOptions, pb.MatchOptionsRequest),
    (SERVICE.MatchInit, pb.MatchInitRequest),
    (SERVICE.MatchJoinAttempt, pb.MatchJoinAttemptRequest),
    (SERVICE.MatchJoin, pb.MatchJoinRequest),
    (SERVICE.MatchReserve, pb.MatchReserveRequest),
    (SERVICE.MatchLoop, pb.MatchLoopRequest),
    (SERVICE.MatchTerminate, pb.MatchTerminateRequest),
    (SERVICE.MatchSignal, pb.MatchSignalRequest),
    (SERVICE.MatchBatch, pb.MatchBatchRequest),
]


class InvariantError(AssertionError):
    """An invariant was violated."""


def _check(condition: bool, text: str) -> None:  # noqa: FBT001 - the condition itself
    if not condition:
        raise InvariantError(text)


@cache
def running_game(order: str) -> bytes:
    """Return the state of a running game of one player with this claim order."""
    match = Match.create(MATCH_ID, parse_options(OPTIONS[order]), 0, bytes(24), [])
    match.join([ANN])
    return match.step().state


def messages(data: bytes) -> None:
    """Process a message (first byte: op code, rest: payload), which must have exactly one response."""
    for order in OPTIONS:
        _process_message(running_game(order), data)


def _process_message(state: bytes, data: bytes) -> None:
    op_code, payload = (data[0], data[1:]) if data else (0, b"")
    message = Input(200, NOW_MS - 1, NOW_MS, ANN.user_id, ANN.session_id, op_code, payload)
    match = Match.restore(MATCH_ID, state, Moment(NOW_MS, NOW_MS))
    match.loop([message], [])
    sent = match.step().broadcasts
    _check(len(sent) == 1, "a message has exactly one response")
    body = parse_strictly(sent[0].op_code, sent[0].data)
    refused = sent[0].op_code is OpCode.CLAIM_REJECTED
    _check(not refused or sent[0].audience == (ANN.session_id,), "a rejection is sent to the sender only")
    _check(refused or op_code in set(OpCode), "only known messages have an effect")
    _check(not refused or body["reason"] != "CLAIM_REASON_UNSPECIFIED", "a rejection has a reason")


def options(data: bytes) -> None:
    """Parse options: valid ones must have an equivalent complete form, invalid ones a one-line error."""
    try:
        parsed = parse_options(data, allow_seed=True)
    except OptionsError as error:
        _check("\n" not in str(error) and bool(error.field), "an options error is one line and names a field")
        return
    _check(options_of(complete_form(parsed)) == parsed, "the complete form has the same meaning")


def states(data: bytes) -> None:
    """Decode a state; a valid one must be equal after encoding and decoding again."""
    try:
        state = decode_state(data)
    except StateError:
        pass
    else:
        _check(decode_state(encode_state(state)) == state, "a state round-trips")
    _call(SERVICE.MatchLoop, pb.MatchLoopRequest(match_id=MATCH_ID, state=data, now_ms=NOW_MS))


def requests(data: bytes) -> None:
    """Send a request (first byte: method, rest: protobuf) and expect a response or a documented status."""
    method, kind = METHODS[data[0] % len(METHODS)] if data else METHODS[0]
    try:
        request = kind.FromString(data[1:])
    except DecodeError:
        return
    _call(method, request)


def _call(method: Callable[..., Message], request: Message) -> None:
    try:
        answer = call(method, request)
    except CallEnded as ended:
        _check(ended.code in _REFUSALS, f"{ended} is not a documented rejection")
    else:
        _check(answer.IsInitialized(), "a response is complete")


_REFUSALS: Final = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INTERNAL,
}


def records(data: bytes) -> None:
    """Replay a record or reject it with a one-line error."""
    try:
        lines = differences(parse_record(data))
    except RecordError as error:
        _check("\n" not in str(error), "a record error is one line")
        return
    _check(all("\n" not in line for line in lines), "a difference is one line")


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "messages": messages,
    "options": options,
    "states": states,
    "requests": requests,
    "records": records,
}
