"""The standard health and reflection services of gRPC."""

import queue

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from match_handler.service.server import SERVICE_NAME, THREADS
from tests.service.served import serving

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@pytest.mark.parametrize("service", ["", SERVICE_NAME])
def test_running_service_is_serving(service: str) -> None:
    with serving() as running, grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        reply = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(service=service))
    assert reply.status == SERVING


def test_unknown_service_name_is_not_found() -> None:
    with serving() as running, grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        check = health_pb2_grpc.HealthStub(channel).Check
        with pytest.raises(grpc.RpcError) as raised:
            check(health_pb2.HealthCheckRequest(service="chess"))
    assert raised.value.code() is grpc.StatusCode.NOT_FOUND


def test_health_watch_reports_the_drain() -> None:
    with serving() as running, grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(service=SERVICE_NAME))
        first = next(watch).status
        running._health.enter_graceful_shutdown()
        second = next(watch).status
        watch.cancel()
    assert (first, second) == (SERVING, NOT_SERVING)


def test_reflection_lists_the_services() -> None:
    with serving(reflection=True) as running, grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        reflect = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo
        (reply,) = reflect(iter([reflection_pb2.ServerReflectionRequest(list_services="")]))
    names = {service.name for service in reply.list_services_response.service}
    assert {SERVICE_NAME, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"} <= names


def test_reflection_describes_the_rpcs() -> None:
    with serving(reflection=True) as running, grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        reflect = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo
        request = reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICE_NAME)
        (reply,) = reflect(iter([request]))
    assert b"MatchJoinAttempt" in b"".join(reply.file_descriptor_response.file_descriptor_proto)


def test_reflection_is_off_by_default() -> None:
    """An open stream of reflection keeps a thread, so four of them would block all calls."""
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    with serving() as running, grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        reflect = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo
        with pytest.raises(grpc.RpcError) as raised:
            list(reflect(iter([request])))
        waiting: queue.Queue[reflection_pb2.ServerReflectionRequest] = queue.Queue()
        streams = [reflect(iter(waiting.get, None)) for _ in range(2 * THREADS)]
        check = health_pb2_grpc.HealthStub(channel).Check
        assert check(health_pb2.HealthCheckRequest(), timeout=30).status == SERVING
        for stream in streams:
            assert stream.code() is grpc.StatusCode.UNIMPLEMENTED
            waiting.put(None)
    assert raised.value.code() is grpc.StatusCode.UNIMPLEMENTED
