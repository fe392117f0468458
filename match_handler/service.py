"""The gRPC servicer: reads a request, calls the match, writes the answer. No rule is decided here."""

import logging
import secrets
from collections.abc import Callable, Mapping
from typing import Final, TypeVar

import grpc

from match_handler import wire
from match_handler.inputs import InputError
from match_handler.match import Match
from match_handler.notices import NOTICES
from match_handler.option_form import complete_form, options_key, parse_options
from match_handler.record import RESCUE_COLLECTION
from match_handler.state import StateError, StateTooNewError
from match_handler.table import user_places
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceServicer
from set_core.options import MatchOptions, OptionsError

log = logging.getLogger(__name__)

TICK_RATE: Final = 20
"""Ticks per second: a tick is 50 ms (rules.md, "Edge cases")."""

STATUS_CODES: Final[Mapping[type[Exception], grpc.StatusCode]] = {
    OptionsError: grpc.StatusCode.INVALID_ARGUMENT,
    StateTooNewError: grpc.StatusCode.FAILED_PRECONDITION,
    StateError: grpc.StatusCode.INVALID_ARGUMENT,
}
"""What each refusal is to the shim; everything else is INTERNAL with a fixed text."""

INTERNAL_TEXT: Final = "internal error"

Context = grpc.ServicerContext
_Request = TypeVar("_Request")
_Response = TypeVar("_Response")
_Method = Callable[["MatchHandler", _Request, Context], _Response]


def _fenced(method: _Method[_Request, _Response]) -> _Method[_Request, _Response]:
    """Turns exceptions into status codes: only the text of our own refusals leaves the service."""

    def call(self: "MatchHandler", request: _Request, context: Context) -> _Response:
        try:
            return method(self, request, context)
        except tuple(STATUS_CODES) as refusal:
            context.abort(STATUS_CODES[type(refusal)], str(refusal))
        except Exception:
            match_id = getattr(request, "match_id", "")
            log.exception("call failed", extra={"mid": match_id, "method": method.__name__})
            context.abort(grpc.StatusCode.INTERNAL, INTERNAL_TEXT)

    return call


class MatchHandler(MatchHandlerServiceServicer):
    """`MatchHandlerService`; holds nothing but its setting."""

    def __init__(self, *, allow_seed: bool = False) -> None:
        self._allow_seed = allow_seed

    def _options(self, raw: bytes) -> MatchOptions:
        return parse_options(raw, allow_seed=self._allow_seed)

    @_fenced
    def MatchOptions(self, request: pb.MatchOptionsRequest, context: Context) -> pb.MatchOptionsResponse:
        """Checks and completes options."""
        del context
        options = self._options(request.options)
        return pb.MatchOptionsResponse(
            options=complete_form(options), key=options_key(options), seats=user_places(options)
        )

    @_fenced
    def MatchInit(self, request: pb.MatchInitRequest, context: Context) -> pb.MatchInitResponse:
        """Creates a match."""
        del context
        options = self._options(request.options)
        expected = [wire.presence(user) for user in request.expected_users]
        match = Match.create(request.match_id, options, request.unix_time_ms, secrets.randbits(64), expected)
        return pb.MatchInitResponse(
            step=wire.step(match.step()),
            tick_rate=TICK_RATE,
            seats=user_places(options),
            notices=NOTICES,
            rescue_collection=RESCUE_COLLECTION,
        )

    @_fenced
    def MatchJoinAttempt(
        self, request: pb.MatchJoinAttemptRequest, context: Context
    ) -> pb.MatchJoinAttemptResponse:
        """Decides whether somebody may come in."""
        del context
        match = _match_now(request)
        refusal = match.join_attempt(wire.presence(request.presence), dict(request.metadata))
        return pb.MatchJoinAttemptResponse(
            step=wire.step(match.step()), allow=refusal is None, reason=refusal or ""
        )

    @_fenced
    def MatchJoin(self, request: pb.MatchJoinRequest, context: Context) -> pb.MatchJoinResponse:
        """Seats those who came in."""
        del context
        match = _match_now(request)
        match.join([wire.presence(presence) for presence in request.presences])
        return pb.MatchJoinResponse(step=wire.step(match.step()))

    @_fenced
    def MatchLeave(self, request: pb.MatchLeaveRequest, context: Context) -> pb.MatchLeaveResponse:
        """Notes who is gone."""
        del context
        match = _match_now(request)
        match.leave([wire.departure(departure) for departure in request.departures])
        return pb.MatchLeaveResponse(step=wire.step(match.step()))

    @_fenced
    def MatchLoop(self, request: pb.MatchLoopRequest, context: Context) -> pb.MatchLoopResponse:
        """Handles inputs and lets time pass."""
        del context
        return pb.MatchLoopResponse(step=wire.step(_loop(request).step()))

    @_fenced
    def MatchTerminate(
        self, request: pb.MatchTerminateRequest, context: Context
    ) -> pb.MatchTerminateResponse:
        """Ends the match."""
        del context
        match = _match_now(request)
        match.terminate()
        return pb.MatchTerminateResponse(step=wire.step(match.step()))

    @_fenced
    def MatchSignal(self, request: pb.MatchSignalRequest, context: Context) -> pb.MatchSignalResponse:
        """Answers another server."""
        del context
        match = _match_now(request)
        answer = match.signal(request.data).decode()
        return pb.MatchSignalResponse(step=wire.step(match.step()), data=answer)


def _match_now(request: wire.MatchRequest) -> Match:
    match = Match.restore(request.match_id, request.state)
    match.advance(request.now_ms)
    return match


def _loop(request: pb.MatchLoopRequest) -> Match:
    """Runs the inputs; one that makes the service fail is left out, answered and logged."""
    inputs = [wire.player_input(message) for message in request.inputs]
    skipped: set[int] = set()
    while True:
        match = Match.restore(request.match_id, request.state)
        try:
            match.loop(inputs, skipped, request.now_ms)
        except InputError as error:
            skipped.add(error.position)
            _log_input_failure(request, error)
        else:
            return match


def _log_input_failure(request: pb.MatchLoopRequest, error: InputError) -> None:
    message = request.inputs[error.position]
    log.error(
        "input failed",
        exc_info=error.__cause__,
        extra={
            "mid": request.match_id,
            "uid": message.user_id,
            "op": message.op_code,
            "input": repr(message.data),
        },
    )
