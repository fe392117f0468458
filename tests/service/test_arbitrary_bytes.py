"""Arbitrary bytes in requests: the result is a response or a documented status code (DESIGN section 8)."""

import json
from collections.abc import Callable

import grpc
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from match_handler.protocol.payloads import OpCode
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub
from tests.match.wire_form import parse_strictly
from tests.service.served import Shim

DOCUMENTED = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INTERNAL,
}
OP_CODES = st.sampled_from([*OpCode, 0, -1, 7, 2**63 - 1])
relaxed = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def outcome(call: Callable[[], object]) -> grpc.StatusCode:
    try:
        call()
    except grpc.RpcError as error:
        code = error.code()
        assert isinstance(code, grpc.StatusCode)
        return code
    return grpc.StatusCode.OK


@pytest.fixture(scope="module")
def playing(stub: MatchHandlerServiceStub) -> Shim:
    """Return a match with a bot, a disconnected player, a reservation and a clock."""
    shim = Shim(stub)
    shim.init(b'{"seed":1,"maxPlayers":4,"timeLimitSeconds":60,"bots":[{"level":"EASY"}]}')
    shim.seat("ann", "bob", "cat")
    shim.leave("cat", pb.LEAVE_REASON_DISCONNECTED)
    shim.attempt("sue")
    return shim


def copy_of(shim: Shim, state: bytes | None = None) -> Shim:
    """Return another shim with the same match, or with other bytes as its state."""
    other = Shim(shim.stub)
    other.now_ms, other.tick = shim.now_ms, shim.tick
    other.step = pb.Step(state=shim.step.state if state is None else state)
    return other


@relaxed
@given(data=st.data())
def test_state_with_changed_bytes_gets_a_documented_status(playing: Shim, data: st.DataObject) -> None:
    state = bytearray(playing.step.state)
    for _ in range(data.draw(st.integers(1, 3))):
        state[data.draw(st.integers(0, len(state) - 1))] = data.draw(st.integers(0, 255))
    changed = copy_of(playing, bytes(state))
    calls = (lambda: changed.attempt("dan"), lambda: changed.join("dan"), changed.loop, changed.terminate)
    assert {outcome(call) for call in calls} <= DOCUMENTED | {grpc.StatusCode.OK}


@relaxed
@given(
    messages=st.lists(
        st.tuples(st.sampled_from(["ann", "bob", "sue", "eve", ""]), OP_CODES, st.binary(max_size=90))
    )
)
@example(messages=[("ann", OpCode.CLAIM, b'{"claimId":"\\udfff","cardIds":[1,2,3]}')])
@example(messages=[("ann", OpCode.CLAIM, b"[" * 1_000_000)])
@example(messages=[("ann", OpCode.CLAIM, b'{"claimId":"\\u0000","cardIds":[1,2,3]}')])
def test_arbitrary_bytes_as_messages(playing: Shim, messages: list[tuple[str, int, bytes]]) -> None:
    step = copy_of(playing).loop(*messages)
    for broadcast in step.broadcasts:
        parse_strictly(broadcast.message.op_code, broadcast.message.data)
        assert set(broadcast.session_ids) <= {"ann-1", "bob-1"}


@relaxed
@given(data=st.text())
@example(data="\x00")
def test_arbitrary_text_as_signal(playing: Shim, data: str) -> None:
    reply = copy_of(playing).signal(data)
    assert isinstance(json.loads(reply.data), dict)


@relaxed
@given(user=st.text(max_size=50), metadata=st.dictionaries(st.text(max_size=9), st.text(max_size=9)))
def test_arbitrary_text_as_user_and_metadata(playing: Shim, user: str, metadata: dict[str, str]) -> None:
    shim = copy_of(playing)
    presence = pb.Presence(user_id=user, session_id=user, username=user)
    request = pb.MatchJoinAttemptRequest(**shim.fields, presence=presence, metadata=metadata)
    shim.step = shim.stub.MatchJoinAttempt(request).step
    shim.step = shim.stub.MatchJoin(pb.MatchJoinRequest(**shim.fields, presences=[presence])).step
    json.loads(shim.step.label or "{}")


@relaxed
@given(now_ms=st.integers(-(2**63), 2**63 - 1), tick=st.integers(-(2**63), 2**63 - 1))
def test_arbitrary_numbers_as_time(playing: Shim, now_ms: int, tick: int) -> None:
    shim = copy_of(playing)
    request = pb.MatchLoopRequest(**{**shim.fields, "now_ms": now_ms, "tick": tick})
    assert outcome(lambda: shim.stub.MatchLoop(request)) is grpc.StatusCode.OK
