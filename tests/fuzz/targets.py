"""What is fuzzed: each target takes any bytes and raises only if something is wrong.

Bytes that are refused as they should be are fine; an exception that the code does not promise is not, nor is
an answer that breaks what always holds.
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
from tests.match.wire_form import strictly_read
from tests.proof.calling import CallEnded, call

MATCH_ID: Final = "match"
NOW_MS: Final = 10_000
OPTIONS: Final = b'{"mode": "SINGLE_PLAYER", "seed": 7, "hints": true}'
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


class BrokenPromiseError(AssertionError):
    """Something happened that never should."""


def _promise(holds: bool, what: str) -> None:  # noqa: FBT001 - the condition itself
    if not holds:
        raise BrokenPromiseError(what)


@cache
def running_game() -> bytes:
    """The state of a game in which ann plays alone."""
    match = Match.create(MATCH_ID, parse_options(OPTIONS), 0, bytes(24), [])
    match.join([ANN])
    return match.step().state


def messages(data: bytes) -> None:
    """The first byte is the op code of a message, the rest its payload: it is answered, and no other is."""
    op_code, payload = (data[0], data[1:]) if data else (0, b"")
    said = Input(200, NOW_MS - 1, NOW_MS, ANN.user_id, ANN.session_id, op_code, payload)
    match = Match.restore(MATCH_ID, running_game(), Moment(NOW_MS, NOW_MS))
    match.loop([said], [])
    sent = match.step().broadcasts
    _promise(len(sent) == 1, "a message has one answer")
    body = strictly_read(sent[0].op_code, sent[0].data)
    refused = sent[0].op_code is OpCode.CLAIM_REJECTED
    _promise(not refused or sent[0].audience == (ANN.session_id,), "a refusal is private")
    _promise(refused or op_code in set(OpCode), "only known messages do something")
    _promise(not refused or body["reason"] != "CLAIM_REASON_UNSPECIFIED", "a refusal has a reason")


def options(data: bytes) -> None:
    """Options are read or refused in one line; what is read has a complete form that means the same."""
    try:
        given = parse_options(data, allow_seed=True)
    except OptionsError as error:
        _promise("\n" not in str(error) and bool(error.field), "a refusal is one line and names a field")
        return
    _promise(options_of(complete_form(given)) == given, "the complete form means the same")


def states(data: bytes) -> None:
    """Bytes are a state or they are not; a state stays the same when written and read again."""
    try:
        state = decode_state(data)
    except StateError:
        pass
    else:
        _promise(decode_state(encode_state(state)) == state, "a state is read as it was written")
    _answered(SERVICE.MatchLoop, pb.MatchLoopRequest(match_id=MATCH_ID, state=data, now_ms=NOW_MS))


def requests(data: bytes) -> None:
    """The first byte chooses the call, the rest is its request in protobuf: an answer or a status."""
    method, kind = METHODS[data[0] % len(METHODS)] if data else METHODS[0]
    try:
        request = kind.FromString(data[1:])
    except DecodeError:
        return
    _answered(method, request)


def _answered(method: Callable[..., Message], request: Message) -> None:
    try:
        answer = call(method, request)
    except CallEnded as ended:
        _promise(ended.code in _REFUSALS, f"{ended} is no refusal")
    else:
        _promise(answer.IsInitialized(), "an answer is whole")


_REFUSALS: Final = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INTERNAL,
}


def records(data: bytes) -> None:
    """A record is replayed or refused in one line."""
    try:
        parted = differences(parse_record(data))
    except RecordError as error:
        _promise("\n" not in str(error), "a refusal is one line")
        return
    _promise(all("\n" not in line for line in parted), "a difference is a line")


TARGETS: Final[dict[str, Callable[[bytes], None]]] = {
    "messages": messages,
    "options": options,
    "states": states,
    "requests": requests,
    "records": records,
}
