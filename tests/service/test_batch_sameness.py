"""Batched calls return exactly the bytes that single calls return."""

from collections.abc import Sequence

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from match_handler.protocol.payloads import OpCode
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub
from tests.service.served import Shim
from tests.service.test_calls import claim

GAMES = (
    b'{"seed":1}',
    b'{"seed":2,"maxPlayers":4,"timeLimitSeconds":60,"penalty":"TIME","bots":[{"level":"HARD"},{"level":"EASY"}]}',
    b'{"seed":3,"mode":"SINGLE_PLAYER","hints":true}',
    b'{"seed":4,"animationMs":{"validSet":0,"refill":0,"invalidSet":0,"expandBoard":0}}',
)
SETS_PLAYED = 3
VALID_CLAIM = b"a valid claim in this match"


@pytest.fixture(scope="module")
def positions(stub: MatchHandlerServiceStub) -> list[tuple[Shim, bytes]]:
    """Return matches at different times, each with a valid claim."""
    found = []
    for options in GAMES:
        shim = Shim(stub)
        shim.init(options)
        shim.seat("ann") if b"SINGLE" in options else shim.seat("ann", "bob")
        for number in range(SETS_PLAYED):
            found.append((_copy(shim), claim(shim, f"c{number}")))
            shim.loop(("ann", OpCode.CLAIM, claim(shim, f"c{number}")), after_ms=2_000)
            shim.loop(after_ms=2_000)
    return found


def _copy(shim: Shim) -> Shim:
    other = Shim(shim.stub)
    other.now_ms, other.tick = shim.now_ms, shim.tick
    other.step = pb.Step(state=shim.step.state)
    return other


messages = st.lists(
    st.tuples(
        st.sampled_from(["ann", "bob", "eve"]),
        st.sampled_from([*OpCode, 0]),
        st.sampled_from([b"{}", b"", b"\xff", b'{"claimId":"x","cardIds":[0,1,2]}', VALID_CLAIM]),
    ),
    max_size=4,
)
calls = st.lists(
    st.tuples(
        st.integers(0, len(GAMES) * SETS_PLAYED - 1),
        messages,
        st.integers(0, 100_000),
        st.sampled_from([None, None, None, b"", b"junk"]),
    ),
    max_size=12,
)


def _request(
    position: tuple[Shim, bytes], sent: Sequence[tuple[str, int, bytes]], later_ms: int, state: bytes | None
) -> pb.MatchLoopRequest:
    shim, valid_claim = _copy(position[0]), position[1]
    shim.now_ms += later_ms
    if state is not None:
        shim.step = pb.Step(state=state)
    return shim.loop_request(
        *((user, op, valid_claim if data == VALID_CLAIM else data) for user, op, data in sent)
    )


def _alone(stub: MatchHandlerServiceStub, request: pb.MatchLoopRequest) -> pb.MatchBatchResult:
    try:
        return pb.MatchBatchResult(response=stub.MatchLoop(request, timeout=30))
    except grpc.RpcError as error:
        failure = pb.CallFailure(code=error.code().value[0], message=error.details() or "")
        return pb.MatchBatchResult(failure=failure)


def test_batch_returns_the_same_bytes_as_single_calls(positions: list[tuple[Shim, bytes]]) -> None:
    stub = positions[0][0].stub

    @settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(drawn=calls)
    def check(drawn: list[tuple[int, list[tuple[str, int, bytes]], int, bytes | None]]) -> None:
        requests = [_request(positions[place], *rest) for place, *rest in drawn]  # type: ignore[arg-type]
        batch = stub.MatchBatch(pb.MatchBatchRequest(calls=requests), timeout=30)
        alone = [_alone(stub, request) for request in requests]
        assert [one.SerializeToString(deterministic=True) for one in batch.results] == [
            one.SerializeToString(deterministic=True) for one in alone
        ]

    check()
