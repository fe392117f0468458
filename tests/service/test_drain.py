"""SIGTERM during a call: the call finishes, new calls are rejected, the exit status is 0."""

import signal
import sys
from pathlib import Path

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from match_handler.protocol.payloads import OpCode
from match_handler.service.server import SERVICE_NAME
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub
from tests.service.processes import served
from tests.service.served import Shim

NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def test_call_in_flight_finishes_during_drain(tmp_path: Path) -> None:
    release = tmp_path / "release"
    slow = (sys.executable, "-m", "tests.service.slow_serve", str(release))
    with served(command=slow) as serving, grpc.insecure_channel(f"127.0.0.1:{serving.port()}") as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service=SERVICE_NAME))
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        shim = Shim(MatchHandlerServiceStub(channel))
        shim.init()
        shim.seat("ann", "bob")
        call = shim.stub.MatchLoop.future(shim.loop_request(("ann", OpCode.HINT, b"{}")))
        serving.logged("in a call")
        serving.signal(signal.SIGTERM)
        assert next(watch).status == NOT_SERVING
        assert not call.done()
        release.touch()
        assert call.result(timeout=60).step.state
        assert serving.wait() == 0
        assert serving.lines[-1]["msg"] == "stopped"
