"""What a claim costs: MatchLoop with one valid claim against an echo of the same sizes on the same server.

`python -m tests.bench.match_loop` prints the figures and writes them to build/bench_match_loop.json. The two
kinds of call alternate in short rounds, so that whatever else the machine does hits both.
"""

import json
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc

from match_handler.payloads import OpCode
from match_handler.server import THREADS
from match_handler.service import MatchHandler
from match_handler.state import decode_state
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import (
    MatchHandlerServiceStub,
    add_MatchHandlerServiceServicer_to_server,
)
from set_core.validator import find_sets_among
from tests.service.served import Shim

ROUNDS: Final = 60
CALLS: Final = 100
CALLERS: Final = 8
ECHO: Final = "/bench.Echo/Echo"
RESULT: Final = Path("build/bench_match_loop.json")
P50_TARGET: Final = 1.25
THROUGHPUT_TARGET: Final = 0.8

Call = Callable[[], object]
if TYPE_CHECKING:
    _Handler = grpc.RpcMethodHandler[Any, Any]


@dataclass
class Measured:
    """Seconds of single calls, and calls a second of several callers at once, round by round."""

    seconds: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)

    @property
    def p50_ms(self) -> float:
        return statistics.median(self.seconds) * 1000

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)


class _Echo(grpc.GenericRpcHandler):
    """Answers every request with the same bytes: what a call costs that does nothing."""

    def __init__(self) -> None:
        self.reply = b""

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        if handler_call_details.method != ECHO:
            return None
        return grpc.unary_unary_rpc_method_handler(lambda _request, _context: self.reply)


def _server(echo: _Echo) -> tuple[grpc.Server, int]:
    server = grpc.server(ThreadPoolExecutor(THREADS))
    add_MatchHandlerServiceServicer_to_server(MatchHandler(allow_seed=True), server)
    server.add_generic_rpc_handlers((echo,))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


def _claim_request(stub: MatchHandlerServiceStub) -> pb.MatchLoopRequest:
    shim = Shim(stub)
    shim.init(b'{"seed":1}')
    shim.seat("ann", "bob")
    shim.now_ms += 50
    session = decode_state(shim.step.state).session
    assert session is not None
    cards = find_sets_among(session.slots)[0]
    claim = json.dumps({"claimId": "claim-1", "cardIds": cards}).encode()
    return shim.loop_request(("ann", OpCode.CLAIM, claim))


def _one_by_one(call: Call, measured: Measured) -> None:
    for _ in range(CALLS):
        begun = time.perf_counter()
        call()
        measured.seconds.append(time.perf_counter() - begun)


def _many_at_once(call: Call, callers: ThreadPoolExecutor, measured: Measured) -> None:
    begun = time.perf_counter()
    for future in [callers.submit(call) for _ in range(CALLS)]:
        future.result()
    measured.rates.append(CALLS / (time.perf_counter() - begun))


def _measure(calls: dict[str, Call]) -> dict[str, Measured]:
    measured = {name: Measured() for name in calls}
    with ThreadPoolExecutor(CALLERS) as callers:
        for number in range(ROUNDS):
            order = list(calls) if number % 2 else list(reversed(calls))
            for name in order:
                _one_by_one(calls[name], measured[name])
                _many_at_once(calls[name], callers, measured[name])
    return measured


def measure() -> dict[str, float]:
    """Serves, measures and answers with the figures."""
    echo = _Echo()
    server, port = _server(echo)
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = MatchHandlerServiceStub(channel)
        request = _claim_request(stub)
        raw = request.SerializeToString()
        echo.reply = stub.MatchLoop(request).SerializeToString()
        plain: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(ECHO)
        loop: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
            "/match_handler.v1.MatchHandlerService/MatchLoop"
        )
        assert b'"valid":true' in loop(raw)
        assert plain(raw) == echo.reply
        measured = _measure({"echo": lambda: plain(raw), "match_loop": lambda: loop(raw)})
    server.stop(0).wait()
    return _figures(measured["echo"], measured["match_loop"], len(raw), len(echo.reply))


def _figures(echo: Measured, loop: Measured, request_bytes: int, reply_bytes: int) -> dict[str, float]:
    return {
        "request_bytes": request_bytes,
        "reply_bytes": reply_bytes,
        "echo_p50_ms": round(echo.p50_ms, 4),
        "match_loop_p50_ms": round(loop.p50_ms, 4),
        "p50_ratio": round(loop.p50_ms / echo.p50_ms, 3),
        "echo_calls_per_second": round(echo.rate),
        "match_loop_calls_per_second": round(loop.rate),
        "throughput_ratio": round(loop.rate / echo.rate, 3),
    }


def main() -> None:
    """Prints and writes the figures."""
    figures = measure()
    for name, value in figures.items():
        print(f"{name:28} {value:>10}")
    print(f"targets: p50 at most {P50_TARGET} times, throughput at least {THROUGHPUT_TARGET} times")
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
