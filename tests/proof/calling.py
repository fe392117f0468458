"""Calls of the servicer without a network: they return the response or raise the status."""

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar, cast

import grpc

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")


class CallEnded(Exception):  # noqa: N818 - named like the gRPC abort
    """The service aborted the call with a status."""

    def __init__(self, code: grpc.StatusCode, details: str) -> None:
        super().__init__(f"{code.name}: {details}")
        self.code = code
        self.details = details


class _Context:
    def abort(self, code: grpc.StatusCode, details: str) -> NoReturn:
        raise CallEnded(code, details)


def call(method: Callable[[_Request, Any], _Response], request: _Request) -> _Response:
    """Call a method of a servicer and return the response.

    Raises:
        CallEnded: The service aborted the call.
    """
    return method(request, cast("grpc.ServicerContext", _Context()))
