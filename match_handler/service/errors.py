"""RPC wrapper: records metrics and maps exceptions to status codes."""

import logging
import time
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeVar

import grpc

from match_handler.match.state import OtherVersionError, StateError
from match_handler.service import metrics
from match_handler.service.codec import RequestError
from set_core.option_errors import OptionsError

log = logging.getLogger(__name__)

STATUS_CODES: Final[Mapping[type[Exception], grpc.StatusCode]] = {
    OptionsError: grpc.StatusCode.INVALID_ARGUMENT,
    RequestError: grpc.StatusCode.INVALID_ARGUMENT,
    OtherVersionError: grpc.StatusCode.FAILED_PRECONDITION,
    StateError: grpc.StatusCode.INVALID_ARGUMENT,
}
"""The status codes of expected exceptions. All other exceptions become INTERNAL with a fixed message."""

INTERNAL_TEXT: Final = "internal error"


class Failure(NamedTuple):
    """The status code and the status message of a failed call."""

    code: grpc.StatusCode
    text: str


_Servicer = TypeVar("_Servicer")
_Request = TypeVar("_Request")
_Response = TypeVar("_Response")
_Method = Callable[[_Servicer, _Request], _Response]
_Rpc = Callable[[_Servicer, _Request, grpc.ServicerContext], _Response]


def rpc_method(method: _Method[_Servicer, _Request, _Response]) -> _Rpc[_Servicer, _Request, _Response]:
    """Decorate a servicer method: record its metrics and abort the call when it raises an exception.

    The text of an unexpected exception is logged, and never sent to the caller.
    """
    name = method.__name__
    metrics.init_error_counter(name)

    def call(self: _Servicer, request: _Request, context: grpc.ServicerContext) -> _Response:
        outcome = run_call(name, lambda message: method(self, message), request)
        if isinstance(outcome, Failure):
            context.abort(outcome.code, outcome.text)
        return outcome

    return call


def run_call(name: str, handle: Callable[[_Request], _Response], request: _Request) -> _Response | Failure:
    """Handle a request, record the metrics of the call, and return the response or the failure.

    Args:
        name: the name of the call in metrics and logs.
        handle: the function that handles the request.
        request: the request.
    """
    start = time.perf_counter()
    try:
        response = handle(request)
    except Exception as error:  # noqa: BLE001 - every exception becomes a status code
        failure = _failure(error, name, getattr(request, "match_id", ""))
        metrics.count_call(name, failure.code.name, time.perf_counter() - start)
        return failure
    metrics.count_call(name, "OK", time.perf_counter() - start)
    return response


def _failure(error: Exception, method: str, match_id: str) -> Failure:
    code = STATUS_CODES.get(type(error))
    if code is not None:
        return Failure(code, str(error))
    log.error("call failed", exc_info=error, extra={"mid": match_id, "method": method})
    return Failure(grpc.StatusCode.INTERNAL, INTERNAL_TEXT)
