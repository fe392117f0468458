"""Calls of the servicer without a network: the answer, or the status that it ends with."""

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar, cast

import grpc

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")


class CallEnded(Exception):  # noqa: N818 - as gRPC ends a call
    """The service ended the call with a status."""

    def __init__(self, code: grpc.StatusCode, details: str) -> None:
        super().__init__(f"{code.name}: {details}")
        self.code = code
        self.details = details


class _Context:
    def abort(self, code: grpc.StatusCode, details: str) -> NoReturn:
        raise CallEnded(code, details)


def call(method: Callable[[_Request, Any], _Response], request: _Request) -> _Response:
    """The answer of a servicer's method.

    Raises:
        CallEnded: the service refused.
    """
    return method(request, cast("grpc.ServicerContext", _Context()))
