"""Names the worker in the trailer of health checks, so that the plugin can reach every worker."""

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import grpc

from match_handler.service.auth import HEALTH_PREFIX

if TYPE_CHECKING:
    _Handler = grpc.RpcMethodHandler[Any, Any]

CHECK: Final = f"{HEALTH_PREFIX}Check"
WORKER_KEY: Final = "set-worker"
"""Trailer key of an id that differs for every process."""
WORKERS_KEY: Final = "set-workers"
"""Trailer key of the number of workers that share the port."""


class WorkerId(grpc.ServerInterceptor):
    """Adds the id of this process and the number of workers to the trailer of health checks."""

    def __init__(self, workers: int) -> None:
        self._trailer = ((WORKER_KEY, secrets.token_hex(8)), (WORKERS_KEY, str(workers)))

    def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], "_Handler | None"],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "_Handler | None":
        """Return the handler of the call, which also writes the trailer if the call is a health check."""
        handler = continuation(handler_call_details)
        if handler is None or handler.unary_unary is None or handler_call_details.method != CHECK:
            return handler
        check = handler.unary_unary

        def check_with_trailer(request: object, context: grpc.ServicerContext) -> object:
            context.set_trailing_metadata(self._trailer)
            return check(request, context)

        return grpc.unary_unary_rpc_method_handler(
            check_with_trailer, handler.request_deserializer, handler.response_serializer
        )
