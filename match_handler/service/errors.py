"""What stands around every call: it is timed and counted, and no exception gets out."""

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
"""What each refusal is to the shim; everything else is INTERNAL with a fixed text."""

INTERNAL_TEXT: Final = "internal error"


class Failure(NamedTuple):
    """What a call fails with: a status code and its text."""

    code: grpc.StatusCode
    text: str


_Servicer = TypeVar("_Servicer")
_Request = TypeVar("_Request")
_Response = TypeVar("_Response")
_Method = Callable[[_Servicer, _Request], _Response]
_Call = Callable[[_Servicer, _Request, grpc.ServicerContext], _Response]


def fenced(method: _Method[_Servicer, _Request, _Response]) -> _Call[_Servicer, _Request, _Response]:
    """A call that turns exceptions into status codes: only our own refusals leave as text."""
    name = method.__name__
    metrics.announce_call(name)

    def call(self: _Servicer, request: _Request, context: grpc.ServicerContext) -> _Response:
        outcome = attempted(name, lambda given: method(self, given), request)
        if isinstance(outcome, Failure):
            context.abort(outcome.code, outcome.text)
        return outcome

    return call


def attempted(name: str, act: Callable[[_Request], _Response], request: _Request) -> _Response | Failure:
    """Acts on a request as the call of that name: what it answers, or what it fails with."""
    begun = time.perf_counter()
    try:
        response = act(request)
    except Exception as error:  # noqa: BLE001 - nothing may get out
        failure = _failure(error, name, getattr(request, "match_id", ""))
        metrics.count_call(name, failure.code.name, time.perf_counter() - begun)
        return failure
    metrics.count_call(name, "OK", time.perf_counter() - begun)
    return response


def _failure(error: Exception, method: str, match_id: str) -> Failure:
    code = STATUS_CODES.get(type(error))
    if code is not None:
        return Failure(code, str(error))
    log.error("call failed", exc_info=error, extra={"mid": match_id, "method": method})
    return Failure(grpc.StatusCode.INTERNAL, INTERNAL_TEXT)
