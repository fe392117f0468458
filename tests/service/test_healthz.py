"""`/healthz` on the metrics port: 200 while the service accepts calls, otherwise 503."""

import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import grpc
import httpx
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from demo.stack.settings import PROJECT
from match_handler.protocol.payloads import OpCode
from match_handler.service.config import Address
from match_handler.service.http_server import all_interfaces, serve_http
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub
from tests.service.processes import Serving, clean_environment, served
from tests.service.served import Shim

LOOPBACK = Address("127.0.0.1", 0)


def healthz(serving: Serving, host: str = "127.0.0.1") -> tuple[int, str]:
    url = f"http://{host}:{serving.logged('metrics')[0]['port']}/healthz"
    answer = httpx.get(url, trust_env=False, timeout=30)
    return answer.status_code, answer.text


@pytest.mark.parametrize("workers", [1, 2])
def test_healthz_of_a_serving_service_is_200(workers: int) -> None:
    with served("--workers", str(workers), "--metrics-port", "0") as serving:
        serving.port(workers)
        assert healthz(serving) == (200, "ready\n")
        assert "set_match_calls_total" in serving.metrics()


def test_healthz_before_the_first_call_is_503() -> None:
    port = serve_http(LOOPBACK, lambda: False)
    answer = httpx.get(f"http://127.0.0.1:{port}/healthz", trust_env=False)
    assert (answer.status_code, answer.text) == (503, "not ready\n")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_draining_service_is_not_ready_and_finishes_its_call(tmp_path: Path, workers: str) -> None:
    release = tmp_path / "release"
    slow = (sys.executable, "-m", "tests.service.slow_serve", str(release))
    with (
        served("--workers", workers, "--metrics-port", "0", command=slow) as serving,
        grpc.insecure_channel(f"127.0.0.1:{serving.port(int(workers))}") as channel,
    ):
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        next(watch)
        shim = Shim(MatchHandlerServiceStub(channel))
        shim.init()
        shim.seat("ann", "bob")
        call = shim.stub.MatchLoop.future(shim.loop_request(("ann", OpCode.HINT, b"{}")))
        serving.logged("in a call")
        serving.signal(signal.SIGTERM)
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        assert healthz(serving) == (503, "not ready\n")
        assert not call.done()
        release.touch()
        assert call.result(timeout=60).step.state
        assert serving.wait() == 0
        assert serving.lines[-1]["msg"] == "stopped"


def test_metrics_use_the_ip_version_of_the_service() -> None:
    assert all_interfaces(Address("[::1]", 7400), 9400) == Address("[::]", 9400)
    assert all_interfaces(Address("10.0.0.1", 7400), 9400) == Address("0.0.0.0", 9400)  # noqa: S104
    with served("--listen", "[::1]:0", "--metrics-port", "0") as serving:
        serving.logged("serving")
        assert healthz(serving, "[::1]") == (200, "ready\n")
        assert healthz(serving) == (200, "ready\n")


def container_check() -> list[str]:
    """Return the command of the image's health check, as Docker reads it."""
    joined = (PROJECT / "Dockerfile").read_text().replace("\\\n", "")
    found = re.search(r"^HEALTHCHECK .*? CMD (\[.*\])$", joined, re.MULTILINE)
    assert found is not None
    command: list[str] = json.loads(found[1])
    return command


def checked(**settings: str) -> subprocess.CompletedProcess[bytes]:
    environment = clean_environment(**settings)
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    return subprocess.run(container_check(), check=False, env=environment, capture_output=True, timeout=60)


def test_container_check_uses_the_metrics_port() -> None:
    with served("--metrics-port", "0") as serving:
        serving.port()
        port = str(serving.logged("metrics")[0]["port"])
        outcome = checked(SET_MATCH_METRICS_PORT=port)
        assert (outcome.returncode, outcome.stdout) == (0, b"")
    assert checked(SET_MATCH_METRICS_PORT=port).returncode == 1
    port = str(serve_http(LOOPBACK, lambda: False))
    assert checked(SET_MATCH_METRICS_PORT=port).returncode == 1


def test_container_check_without_metrics_uses_grpc() -> None:
    with served() as serving:
        address = f"127.0.0.1:{serving.port()}"
        assert checked(SET_MATCH_LISTEN=address).stdout == f"{address} is ready\n".encode()
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        assert checked(SET_MATCH_LISTEN=f"127.0.0.1:{held.getsockname()[1]}").returncode == 1
