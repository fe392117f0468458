"""Authentication of callers by a bearer token (`SET_MATCH_TOKEN`, or a file); health checks need no token."""

import hmac
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import grpc

from match_handler.service.config import SettingsError

if TYPE_CHECKING:
    _Handler = grpc.RpcMethodHandler[Any, Any]

HEALTH_PREFIX: Final = "/grpc.health.v1.Health/"
"""The prefix of the health service's method names."""
REFUSAL: Final = "a valid bearer token is needed"
"""The status message of a call without a valid token."""


def read_token(value: str | None, path: Path | None) -> str | None:
    """Return the token of one of the two settings, without newlines at its end; None: no authentication.

    Raises:
        SettingsError: both are set, the file cannot be read, or the token is empty.
    """
    if path is None:
        return _without_newline(value, "token") if value else None
    if value:
        raise SettingsError("token: set SET_MATCH_TOKEN or SET_MATCH_TOKEN_FILE, not both")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"token file: {path} cannot be read: {error.strerror}") from error
    return _without_newline(content.decode("latin-1"), f"token file: {path}")


def _without_newline(text: str, setting: str) -> str:
    token = text.rstrip("\r\n")
    if not token:
        raise SettingsError(f"{setting} is empty; at least one visible ASCII character is needed")
    return token


def _abort_unauthenticated(_request: object, context: grpc.ServicerContext) -> None:
    context.abort(grpc.StatusCode.UNAUTHENTICATED, REFUSAL)


class TokenGuard(grpc.ServerInterceptor):
    """Interceptor that rejects calls whose `authorization` metadata is not `Bearer TOKEN`."""

    def __init__(self, token: str) -> None:
        self._expected = f"Bearer {token}".encode()

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], "_Handler | None"],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "_Handler | None":
        """Return the handler of the call, or a handler that aborts with UNAUTHENTICATED."""
        is_health_check = handler_call_details.method.startswith(HEALTH_PREFIX)
        if is_health_check or self._is_authenticated(handler_call_details):
            return continuation(handler_call_details)
        return grpc.unary_unary_rpc_method_handler(_abort_unauthenticated)

    def _is_authenticated(self, details: grpc.HandlerCallDetails) -> bool:
        metadata = details.invocation_metadata or ()
        tokens = [value for key, value in metadata if key == "authorization"]
        return any(hmac.compare_digest(_as_bytes(token), self._expected) for token in tokens)


def _as_bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value
