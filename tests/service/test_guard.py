"""The bearer token: correct, wrong and missing; health checks need no token."""

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from match_handler.service.auth import REFUSAL
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub
from tests.service.served import serving

Metadata = list[tuple[str, str | bytes]] | None
TOKEN = "correct-horse"  # noqa: S105 - a token for tests

WRONG: list[Metadata] = [
    None,
    [],
    [("authorization", "")],
    [("authorization", "Bearer")],
    [("authorization", "Bearer ")],
    [("authorization", TOKEN)],
    [("authorization", f"bearer {TOKEN}")],
    [("authorization", f"Bearer {TOKEN}x")],
    [("authorization", f"Bearer {TOKEN[:-1]}")],
    [("authorization", f"Basic {TOKEN}")],
    [("x-authorization", f"Bearer {TOKEN}")],
]


def call_options(metadata: Metadata, token: str | None = TOKEN) -> pb.MatchOptionsResponse:
    with serving(token=token) as running, grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        return MatchHandlerServiceStub(channel).MatchOptions(
            pb.MatchOptionsRequest(), metadata=tuple(metadata or ())
        )


@pytest.mark.parametrize("metadata", WRONG)
def test_calls_without_the_token_are_rejected(metadata: Metadata) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        call_options(metadata)
    assert raised.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert raised.value.details() == REFUSAL


def test_calls_with_the_token_are_accepted() -> None:
    assert call_options([("authorization", f"Bearer {TOKEN}")]).seats == 2


def test_one_correct_token_among_several_is_enough() -> None:
    assert call_options([("authorization", "Bearer old"), ("authorization", f"Bearer {TOKEN}")]).seats == 2


def test_service_without_a_token_accepts_any_caller() -> None:
    assert call_options(None, token=None).seats == 2
    assert call_options([("authorization", "Bearer whatever")], token=None).seats == 2


def test_health_check_needs_no_token() -> None:
    with serving(token=TOKEN) as running, grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        reply = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())
    assert reply.status == health_pb2.HealthCheckResponse.SERVING


def test_reflection_needs_the_token() -> None:
    running_with_token = serving(token=TOKEN, reflection=True)
    with running_with_token as running, grpc.insecure_channel(f"127.0.0.1:{running.port}") as channel:
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        with pytest.raises(grpc.RpcError) as raised:
            list(stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")])))
    assert raised.value.code() is grpc.StatusCode.UNAUTHENTICATED
