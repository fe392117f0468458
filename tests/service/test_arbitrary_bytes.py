"""Whatever bytes come: an answer, or one of the documented status codes (DESIGN section 8)."""

import json
from collections.abc import Callable

import grpc
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from match_handler.protocol.payloads import OpCode
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub
from tests.match.wire_form import strictly_read
from tests.service.served import Shim

REFUSED = grpc.StatusCode.INVALID_ARGUMENT
DOCUMENTED = {REFUSED, grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.INTERNAL}
OP_CODES = st.sampled_from([*OpCode, 0, -1, 7, 2**63 - 1])
calm = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def outcome(act: Callable[[], object]) -> grpc.StatusCode:
    try:
        act()
    except grpc.RpcError as error:
        code = error.code()
        assert isinstance(code, grpc.StatusCode)
        return code
    return grpc.StatusCode.OK


@pytest.fixture(scope="module")
def playing(stub: MatchHandlerServiceStub) -> Shim:
    """A game with everything in its state: bots, somebody away, a spectator, a reservation."""
    shim = Shim(stub)
    shim.init(b'{"seed":1,"maxPlayers":4,"timeLimitSeconds":60,"bots":[{"level":"EASY"}]}')
    shim.seat("ann", "bob", "cat")
    shim.leave("cat", pb.LEAVE_REASON_DISCONNECTED)
    shim.attempt("sue")
    return shim


def again(shim: Shim, state: bytes | None = None) -> Shim:
    """Another shim with the same match, or with any other bytes for its state."""
    other = Shim(shim.stub)
    other.now_ms, other.tick = shim.now_ms, shim.tick
    other.step = pb.Step(state=shim.step.state if state is None else state)
    return other


@calm
@given(state=st.binary(max_size=300))
def test_as_a_state(playing: Shim, state: bytes) -> None:
    for act in (again(playing, state).terminate, again(playing, state).loop):
        assert outcome(act) in {REFUSED, grpc.StatusCode.FAILED_PRECONDITION}


@calm
@given(data=st.data())
def test_as_a_state_with_a_few_bytes_changed(playing: Shim, data: st.DataObject) -> None:
    state = bytearray(playing.step.state)
    for _ in range(data.draw(st.integers(1, 3))):
        state[data.draw(st.integers(0, len(state) - 1))] = data.draw(st.integers(0, 255))
    spoilt = again(playing, bytes(state))
    acts = (lambda: spoilt.attempt("dan"), lambda: spoilt.join("dan"), spoilt.loop, spoilt.terminate)
    assert {outcome(act) for act in acts} <= DOCUMENTED | {grpc.StatusCode.OK}


@calm
@given(raw=st.binary(max_size=200))
@example(raw=b'{"mode":"\\ud800"}')
@example(raw=b"[" * 100_000)
@example(raw=b'{"maxPlayers":' + b"9" * 4_000 + b"}")
def test_as_options(playing: Shim, raw: bytes) -> None:
    assert outcome(lambda: Shim(playing.stub).init(raw)) in {REFUSED, grpc.StatusCode.OK}


@calm
@given(
    said=st.lists(
        st.tuples(st.sampled_from(["ann", "bob", "sue", "eve", ""]), OP_CODES, st.binary(max_size=90))
    )
)
@example(said=[("ann", OpCode.CLAIM, b'{"claimId":"\\udfff","cardIds":[1,2,3]}')])
@example(said=[("ann", OpCode.CLAIM, b"[" * 1_000_000)])
@example(said=[("ann", OpCode.CLAIM, b'{"claimId":"\\u0000","cardIds":[1,2,3]}')])
def test_as_messages(playing: Shim, said: list[tuple[str, int, bytes]]) -> None:
    step = again(playing).loop(*said)
    for broadcast in step.broadcasts:
        strictly_read(broadcast.message.op_code, broadcast.message.data)
        assert set(broadcast.session_ids) <= {"ann-1", "bob-1"}


@calm
@given(word=st.text())
@example(word="\x00")
def test_as_a_signal(playing: Shim, word: str) -> None:
    reply = again(playing).signal(word)
    assert isinstance(json.loads(reply.data), dict)


@calm
@given(user=st.text(max_size=50), metadata=st.dictionaries(st.text(max_size=9), st.text(max_size=9)))
def test_as_a_user_and_metadata(playing: Shim, user: str, metadata: dict[str, str]) -> None:
    shim = again(playing)
    presence = pb.Presence(user_id=user, session_id=user, username=user)
    request = pb.MatchJoinAttemptRequest(**shim.place, presence=presence, metadata=metadata)
    shim.step = shim.stub.MatchJoinAttempt(request).step
    shim.step = shim.stub.MatchJoin(pb.MatchJoinRequest(**shim.place, presences=[presence])).step
    json.loads(shim.step.label or "{}")


@calm
@given(now_ms=st.integers(-(2**63), 2**63 - 1), tick=st.integers(-(2**63), 2**63 - 1))
def test_as_a_time(playing: Shim, now_ms: int, tick: int) -> None:
    shim = again(playing)
    request = pb.MatchLoopRequest(**{**shim.place, "now_ms": now_ms, "tick": tick})
    assert outcome(lambda: shim.stub.MatchLoop(request)) is grpc.StatusCode.OK
