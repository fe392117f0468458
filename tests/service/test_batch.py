"""Several calls in one batch: each is answered, counted and logged like a single call."""

import json
import logging

import grpc
import msgspec
import pytest

from match_handler.match import inputs
from match_handler.match.match import Match
from match_handler.protocol.payloads import OpCode
from match_handler.service.servicer import MAX_CALLS
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub
from tests.service.served import Shim, ops
from tests.service.test_calls import claim
from tests.service.test_metrics import scraped, value
from tests.service.test_statuses import failure

SECRET = "the deck is 1 2 3"  # noqa: S105 - a text that must not leave the service
INTERNAL = (grpc.StatusCode.INTERNAL.value[0], "internal error")


def fail(*_: object) -> None:
    raise RuntimeError(SECRET)


def playing(stub: MatchHandlerServiceStub, seed: int) -> Shim:
    shim = Shim(stub)
    shim.init(f'{{"seed":{seed}}}'.encode())
    shim.seat("ann", "bob")
    return shim


def loop_of(shim: Shim, match_id: str, *messages: tuple[str, int, bytes]) -> pb.MatchLoopRequest:
    request = shim.loop_request(*messages)
    request.match_id = match_id
    return request


def batched(stub: MatchHandlerServiceStub, *calls: pb.MatchLoopRequest) -> list[pb.MatchBatchResult]:
    return list(stub.MatchBatch(pb.MatchBatchRequest(calls=calls), timeout=30).results)


def failed_with(result: pb.MatchBatchResult) -> tuple[int, str]:
    assert result.WhichOneof("result") == "failure"
    return result.failure.code, result.failure.message


def test_results_are_in_the_order_of_the_calls(stub: MatchHandlerServiceStub) -> None:
    shims = [playing(stub, seed) for seed in range(1, 5)]
    calls = [
        loop_of(shim, f"m{n}", ("ann", OpCode.CLAIM, claim(shim, f"c{n}"))) for n, shim in enumerate(shims)
    ]
    payloads = [result.response.step.broadcasts[0].message.data for result in batched(stub, *calls)]
    assert [json.loads(data)["claimId"] for data in payloads] == ["c0", "c1", "c2", "c3"]


def test_rejected_call_does_not_affect_the_others(stub: MatchHandlerServiceStub) -> None:
    good = playing(stub, 1)
    version, _, rules, body = msgspec.msgpack.decode(good.step.state)
    newer = msgspec.msgpack.encode([version + 1, version + 1, rules, body])
    refused = [pb.MatchLoopRequest(match_id=f"m{n}", state=state) for n, state in enumerate([b"junk", newer])]
    alone = [failure(lambda call=call: stub.MatchLoop(call)) for call in refused]  # type: ignore[misc]

    first, junk, last, too_new = batched(stub, loop_of(good, "g"), refused[0], loop_of(good, "g"), refused[1])

    assert [failed_with(junk), failed_with(too_new)] == [(code.value[0], text) for code, text in alone]
    assert first == last
    assert first.response.step.state


def test_failed_call_is_isolated_and_logged_with_its_match(
    stub: MatchHandlerServiceStub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    good, bad = playing(stub, 1), playing(stub, 2)
    step = Match.step
    monkeypatch.setattr(
        Match, "step", lambda match: fail() if match._context.match_id == "bad" else step(match)
    )

    with caplog.at_level(logging.ERROR, logger="match_handler"):
        results = batched(stub, loop_of(good, "a"), loop_of(bad, "bad"), loop_of(good, "c"))

    assert [result.WhichOneof("result") for result in results] == ["response", "failure", "response"]
    assert failed_with(results[1]) == INTERNAL
    (line,) = caplog.records
    assert (line.getMessage(), vars(line)["mid"], vars(line)["method"]) == ("call failed", "bad", "MatchLoop")


def test_failing_input_is_skipped_only_in_its_own_call(
    stub: MatchHandlerServiceStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(inputs._HANDLERS, OpCode.HINT, fail)
    one, other = playing(stub, 1), playing(stub, 2)
    poisoned = loop_of(one, "one", ("ann", OpCode.HINT, b"{}"), ("bob", OpCode.CLAIM, claim(one)))

    results = batched(stub, poisoned, loop_of(other, "other", ("ann", OpCode.CLAIM, claim(other))))

    assert [ops(result.response.step) for result in results] == [
        [OpCode.CLAIM_REJECTED, OpCode.CLAIM_RESULT],
        [OpCode.CLAIM_RESULT],
    ]


def test_largest_batch_is_accepted_and_a_larger_one_rejected(
    stub: MatchHandlerServiceStub,
) -> None:
    call = loop_of(playing(stub, 1), "m")
    assert len(batched(stub, *[call] * MAX_CALLS)) == MAX_CALLS
    code, text = failure(lambda: batched(stub, *[call] * (MAX_CALLS + 1)))
    assert (code, text) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "calls: 65 in one batch, allowed are at most 64",
    )


def test_empty_batch_returns_no_results(stub: MatchHandlerServiceStub) -> None:
    assert batched(stub) == []


def test_metrics_count_loop_calls_and_the_batch(stub: MatchHandlerServiceStub) -> None:
    samples = {
        'set_match_calls_total{code="OK",method="MatchLoop"}': 2,
        'set_match_calls_total{code="INVALID_ARGUMENT",method="MatchLoop"}': 1,
        'set_match_call_seconds_count{method="MatchLoop"}': 3,
        'set_match_calls_total{code="OK",method="MatchBatch"}': 1,
        'set_match_calls_total{code="INVALID_ARGUMENT",method="MatchBatch"}': 1,
        "set_match_batch_calls_sum": 3,
        "set_match_batch_calls_count": 1,
    }
    call = loop_of(playing(stub, 1), "m")
    before = scraped()
    batched(stub, call, pb.MatchLoopRequest(state=b"junk"), call)
    failure(lambda: batched(stub, *[call] * (MAX_CALLS + 1)))
    after = scraped()
    assert {sample: value(after, sample) - value(before, sample) for sample in samples} == samples
