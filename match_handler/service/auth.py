"""Lets in only callers that know the token (`SET_MATCH_TOKEN`); health checks need none."""

import hmac
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import grpc

if TYPE_CHECKING:
    _Handler = grpc.RpcMethodHandler[Any, Any]

HEALTH_PREFIX: Final = "/grpc.health.v1.Health/"
REFUSAL: Final = "a valid bearer token is needed"


def _refuse(_request: object, context: grpc.ServicerContext) -> None:
    context.abort(grpc.StatusCode.UNAUTHENTICATED, REFUSAL)


class TokenGuard(grpc.ServerInterceptor):
    """Refuses calls whose `authorization` metadata is not `Bearer TOKEN`."""

    def __init__(self, token: str) -> None:
        self._expected = f"Bearer {token}".encode()

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], "_Handler | None"],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "_Handler | None":
        """Passes the call on, or answers it UNAUTHENTICATED."""
        if handler_call_details.method.startswith(HEALTH_PREFIX) or self._knows(handler_call_details):
            return continuation(handler_call_details)
        return grpc.unary_unary_rpc_method_handler(_refuse)

    def _knows(self, details: grpc.HandlerCallDetails) -> bool:
        metadata = details.invocation_metadata or ()
        given = [value for key, value in metadata if key == "authorization"]
        return any(hmac.compare_digest(_as_bytes(value), self._expected) for value in given)


def _as_bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value
