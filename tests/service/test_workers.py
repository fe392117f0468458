"""Several worker processes on one port: all serve, dead ones are replaced, none outlives its parent."""

import os
import signal

import grpc
import psutil
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub

from match_handler.v1 import match_handler_pb2 as pb
from tests.service.processes import TIMEOUT_SECONDS, Serving, served
from tests.service.served import Shim, stub_at


def call_repeatedly(port: int, times: int = 60) -> None:
    """Send calls on separate connections, which the system distributes over the workers."""
    for _ in range(times):
        with stub_at(port) as stub:
            assert stub.MatchOptions(pb.MatchOptionsRequest()).seats == 2


def pids_serving(serving: Serving, count: int) -> list[int]:
    return [line["pid"] for line in serving.logged("serving", count)]


def test_every_worker_serves() -> None:
    with served("--workers", "2") as serving:
        port = serving.port(workers=2)
        workers = serving.workers()
        assert sorted(pids_serving(serving, 2)) == sorted(worker.pid for worker in workers)
        for worker in workers:
            others = [other for other in workers if other.pid != worker.pid]
            for other in others:
                other.suspend()
            try:
                call_once(port)
            finally:
                for other in others:
                    other.resume()


def call_once(port: int) -> None:
    """Open connections until one reaches a running worker."""
    for _ in range(50):
        with stub_at(port) as stub:
            try:
                reply = stub.MatchOptions(pb.MatchOptionsRequest(), timeout=1)
            except Exception:  # noqa: BLE001, S112 - this connection reached a suspended worker
                continue
            assert reply.seats == 2
            return
    raise AssertionError("no connection reached the worker")


def worker_of(port: int) -> tuple[str, str]:
    """Return the id of the worker that a new connection reaches, and the number of workers."""
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        _, call = HealthStub(channel).Check.with_call(HealthCheckRequest())
        trailer = dict(call.trailing_metadata())
    return trailer["set-worker"], trailer["set-workers"]


def test_health_check_names_the_worker_and_their_number() -> None:
    with served("--workers", "2") as serving:
        port = serving.port(workers=2)
        assert len({worker_of(port) for _ in range(60)}) == 2
        assert {worker_of(port)[1]} == {"2"}


def test_killed_worker_is_replaced() -> None:
    with served("--workers", "2") as serving:
        port = serving.port(workers=2)
        first, _ = pids_serving(serving, 2)
        os.kill(first, signal.SIGKILL)
        (died,) = serving.logged("worker died")
        assert (died["worker"], died["exit"]) == (first, -signal.SIGKILL)
        assert pids_serving(serving, 3)[2] not in pids_serving(serving, 3)[:2]
        call_repeatedly(port, 10)


def test_match_survives_its_worker() -> None:
    with served("--workers", "2") as serving:
        port = serving.port(workers=2)
        with stub_at(port) as stub:
            shim = Shim(stub)
            shim.init()
            shim.seat("ann")
        for pid in pids_serving(serving, 2):
            os.kill(pid, signal.SIGKILL)
        serving.logged("serving", 4)
        with stub_at(port) as stub:
            shim.stub = stub
            assert shim.seat("bob").label != ""


def test_all_workers_stop_with_their_parent() -> None:
    with served("--workers", "2") as serving:
        serving.port(workers=2)
        workers = serving.workers()
        serving.signal(signal.SIGTERM)
        assert serving.wait() == 0
        assert len(serving.logged("stopped", 2)) == 2
        ended, alive = psutil.wait_procs(workers, TIMEOUT_SECONDS)
        assert (len(ended), alive) == (2, [])


def test_no_worker_outlives_a_killed_parent() -> None:
    with served("--workers", "2") as serving:
        serving.port(workers=2)
        processes = psutil.Process(serving.pid).children(recursive=True)
        serving.signal(signal.SIGKILL)
        ended, alive = psutil.wait_procs(processes, TIMEOUT_SECONDS)
        assert (len(ended), alive) == (len(processes), [])
