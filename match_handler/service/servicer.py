"""The gRPC servicer: reads a request, calls the match, writes the answer. No rule is decided here."""

import logging
import secrets
from typing import Final

from match_handler.match.context import user_places
from match_handler.match.inputs import InputError
from match_handler.match.match import IDLE_MS, Match
from match_handler.match.record import RESCUE_COLLECTION
from match_handler.match.results import SHORTEST_RANKED_MS
from match_handler.protocol.notices import NOTICES
from match_handler.protocol.options import complete_form, options_key, parse_options
from match_handler.service import codec, metrics
from match_handler.service.batch import check_batch
from match_handler.service.errors import Failure, attempted, fenced
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceServicer
from set_core.options import MatchOptions

log = logging.getLogger(__name__)

TICK_RATE: Final = 20
"""Ticks per second: a tick is 50 ms (rules.md, "Edge cases")."""


class MatchHandler(MatchHandlerServiceServicer):
    """`MatchHandlerService`; holds nothing but its setting."""

    def __init__(
        self, *, allow_seed: bool = False, idle_ms: int = IDLE_MS, ranked_ms: int = SHORTEST_RANKED_MS
    ) -> None:
        self._allow_seed = allow_seed
        self._idle_ms = idle_ms
        self._ranked_ms = ranked_ms

    def _options(self, raw: bytes) -> MatchOptions:
        return parse_options(raw, allow_seed=self._allow_seed)

    @fenced
    def MatchOptions(self, request: pb.MatchOptionsRequest) -> pb.MatchOptionsResponse:
        """Checks and completes options."""
        options = self._options(request.options)
        return pb.MatchOptionsResponse(
            options=complete_form(options), key=options_key(options), seats=user_places(options)
        )

    @fenced
    def MatchInit(self, request: pb.MatchInitRequest) -> pb.MatchInitResponse:
        """Creates a match."""
        options = self._options(request.options)
        expected = [codec.presence(user) for user in request.expected_users]
        match = Match.create(
            request.match_id,
            options,
            codec.unix_ms(request.unix_time_ms),
            secrets.token_bytes(24),
            expected,
            creator_id=request.creator_id,
            idle_ms=self._idle_ms,
            ranked_ms=self._ranked_ms,
        )
        response = pb.MatchInitResponse(
            tick_rate=TICK_RATE,
            seats=user_places(options),
            notices=NOTICES,
            rescue_collection=RESCUE_COLLECTION,
            invitation=match.invitation,
        )
        _answer(match, response.step)
        return response

    @fenced
    def MatchReserve(self, request: pb.MatchReserveRequest) -> pb.MatchReserveResponse:
        """Reserves seats for users."""
        match = _restored(request)
        refusal = match.reserve([codec.presence(user) for user in request.users])
        response = pb.MatchReserveResponse(granted=refusal is None, reason=refusal or "")
        _answer(match, response.step)
        return response

    @fenced
    def MatchJoinAttempt(self, request: pb.MatchJoinAttemptRequest) -> pb.MatchJoinAttemptResponse:
        """Decides whether a connection may join."""
        match = _restored(request)
        refusal = match.join_attempt(codec.presence(request.presence), dict(request.metadata))
        response = pb.MatchJoinAttemptResponse(allow=refusal is None, reason=refusal or "")
        _answer(match, response.step)
        return response

    @fenced
    def MatchJoin(self, request: pb.MatchJoinRequest) -> pb.MatchJoinResponse:
        """Joins connections."""
        match = _restored(request)
        match.join([codec.presence(presence) for presence in request.presences])
        response = pb.MatchJoinResponse()
        _answer(match, response.step)
        return response

    @fenced
    def MatchLoop(self, request: pb.MatchLoopRequest) -> pb.MatchLoopResponse:
        """Handles inputs and lets time pass."""
        response = pb.MatchLoopResponse()
        _answer(_loop(request), response.step)
        return response

    @fenced
    def MatchBatch(self, request: pb.MatchBatchRequest) -> pb.MatchBatchResponse:
        """Handles the loops of several matches, each for itself."""
        check_batch(len(request.calls))
        response = pb.MatchBatchResponse()
        for call in request.calls:
            _answer_in_batch(call, response.results.add())
        return response

    @fenced
    def MatchTerminate(self, request: pb.MatchTerminateRequest) -> pb.MatchTerminateResponse:
        """Ends the match."""
        match = _restored(request)
        match.terminate()
        response = pb.MatchTerminateResponse()
        _answer(match, response.step)
        return response

    @fenced
    def MatchSignal(self, request: pb.MatchSignalRequest) -> pb.MatchSignalResponse:
        """Answers another server."""
        match = _restored(request)
        response = pb.MatchSignalResponse(data=match.signal(request.data).decode())
        _answer(match, response.step)
        return response


def _answer(match: Match, message: pb.Step) -> None:
    step = match.step()
    metrics.count_step(step)
    codec.write_step(step, message)


def _restored(request: codec.MatchRequest) -> Match:
    return Match.restore(request.match_id, request.state, codec.moment(request))


def _answer_in_batch(call: pb.MatchLoopRequest, result: pb.MatchBatchResult) -> None:
    outcome = attempted("MatchLoop", lambda request: _answer(_loop(request), result.response.step), call)
    if isinstance(outcome, Failure):
        result.failure.code = outcome.code.value[0]
        result.failure.message = outcome.text


def _loop(request: pb.MatchLoopRequest) -> Match:
    """Runs the loop; an input that makes the service fail is left out, answered and logged."""
    inputs = [codec.player_input(message) for message in request.inputs]
    leaves = [codec.leave(message) for message in request.leaves]
    skipped: set[int] = set()
    while True:
        match = _restored(request)
        try:
            match.loop(inputs, leaves, skipped)
        except InputError as error:
            skipped.add(error.position)
            _log_input_failure(request, error)
        else:
            return match


def _log_input_failure(request: pb.MatchLoopRequest, error: InputError) -> None:
    message = request.inputs[error.position]
    metrics.FAULTS.inc()
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
