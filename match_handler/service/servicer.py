"""The gRPC servicer: converts requests, calls the match and fills the responses."""

import logging
import secrets
from typing import Final

from match_handler.match.context import max_users
from match_handler.match.inputs import InputError
from match_handler.match.match import IDLE_MS, Match
from match_handler.match.record import RESCUE_COLLECTION
from match_handler.match.results import SHORTEST_RANKED_MS
from match_handler.protocol.notices import NOTICES
from match_handler.protocol.options import complete_form, options_key, parse_options
from match_handler.service import codec, metrics
from match_handler.service.errors import Failure, rpc_method, run_call
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceServicer
from set_core.options import ClaimOrder, MatchOptions

log = logging.getLogger(__name__)

TICK_RATE: Final = 20
"""Ticks per second with TICK: a tick is 50 ms (rules.md, "Edge cases")."""

ARRIVAL_TICK_RATE: Final = 1
"""Ticks per second with ARRIVAL: the shim does not wait for ticks, and they only replace a lost wake-up."""

MAX_CALLS: Final = 64
"""The most calls in one `MatchBatch`. The calls run one after another, so the limit keeps a batch short."""


class MatchHandler(MatchHandlerServiceServicer):
    """Implementation of `MatchHandlerService`; stateless apart from its settings.

    Args:
        allow_seed: whether the option `seed` is allowed in mode ONLINE.
        idle_ms: the time without a message from a player after which a match ends; 0: never.
        ranked_ms: the minimum duration of a game whose win counts.
    """

    def __init__(
        self, *, allow_seed: bool = False, idle_ms: int = IDLE_MS, ranked_ms: int = SHORTEST_RANKED_MS
    ) -> None:
        self._allow_seed = allow_seed
        self._idle_ms = idle_ms
        self._ranked_ms = ranked_ms

    def _options(self, raw: bytes) -> MatchOptions:
        return parse_options(raw, allow_seed=self._allow_seed)

    @rpc_method
    def MatchOptions(self, request: pb.MatchOptionsRequest) -> pb.MatchOptionsResponse:
        """Validate options and add the defaults."""
        options = self._options(request.options)
        return pb.MatchOptionsResponse(
            options=complete_form(options), key=options_key(options), seats=max_users(options)
        )

    @rpc_method
    def MatchInit(self, request: pb.MatchInitRequest) -> pb.MatchInitResponse:
        """Create a match."""
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
        is_on_arrival = options.claim_order is ClaimOrder.ARRIVAL
        response = pb.MatchInitResponse(
            tick_rate=ARRIVAL_TICK_RATE if is_on_arrival else TICK_RATE,
            judge_on_arrival=is_on_arrival,
            seats=max_users(options),
            notices=NOTICES,
            rescue_collection=RESCUE_COLLECTION,
            invitation=match.invitation,
        )
        _write_step(match, response.step)
        return response

    @rpc_method
    def MatchReserve(self, request: pb.MatchReserveRequest) -> pb.MatchReserveResponse:
        """Reserve seats for users."""
        match = _restore(request)
        rejection = match.reserve([codec.presence(user) for user in request.users])
        response = pb.MatchReserveResponse(granted=rejection is None, reason=rejection or "")
        _write_step(match, response.step)
        return response

    @rpc_method
    def MatchJoinAttempt(self, request: pb.MatchJoinAttemptRequest) -> pb.MatchJoinAttemptResponse:
        """Decide whether a connection can join."""
        match = _restore(request)
        rejection = match.join_attempt(codec.presence(request.presence), dict(request.metadata))
        response = pb.MatchJoinAttemptResponse(allow=rejection is None, reason=rejection or "")
        _write_step(match, response.step)
        return response

    @rpc_method
    def MatchJoin(self, request: pb.MatchJoinRequest) -> pb.MatchJoinResponse:
        """Add connections to the match."""
        match = _restore(request)
        match.join([codec.presence(presence) for presence in request.presences])
        response = pb.MatchJoinResponse()
        _write_step(match, response.step)
        return response

    @rpc_method
    def MatchLoop(self, request: pb.MatchLoopRequest) -> pb.MatchLoopResponse:
        """Handle inputs, leaves and events whose time has come."""
        response = pb.MatchLoopResponse()
        _write_step(_loop(request), response.step)
        return response

    @rpc_method
    def MatchBatch(self, request: pb.MatchBatchRequest) -> pb.MatchBatchResponse:
        """Run the `MatchLoop` calls of several matches, independently of each other.

        Raises:
            RequestError: the batch has more than `MAX_CALLS` calls.
        """
        size = len(request.calls)
        if size > MAX_CALLS:
            raise codec.RequestError(f"calls: {size} in one batch, allowed are at most {MAX_CALLS}")
        metrics.BATCH_CALLS.observe(size)
        response = pb.MatchBatchResponse()
        for call in request.calls:
            _answer_in_batch(call, response.results.add())
        return response

    @rpc_method
    def MatchTerminate(self, request: pb.MatchTerminateRequest) -> pb.MatchTerminateResponse:
        """End the match."""
        match = _restore(request)
        match.terminate()
        response = pb.MatchTerminateResponse()
        _write_step(match, response.step)
        return response

    @rpc_method
    def MatchSignal(self, request: pb.MatchSignalRequest) -> pb.MatchSignalResponse:
        """Handle a signal from another server."""
        match = _restore(request)
        response = pb.MatchSignalResponse(data=match.signal(request.data).decode())
        _write_step(match, response.step)
        return response


def _write_step(match: Match, message: pb.Step) -> None:
    step = match.step()
    metrics.count_step(step)
    codec.write_step(step, message)


def _restore(request: codec.MatchRequest) -> Match:
    return Match.restore(request.match_id, request.state, codec.moment(request))


def _answer_in_batch(call: pb.MatchLoopRequest, result: pb.MatchBatchResult) -> None:
    outcome = run_call("MatchLoop", lambda request: _write_step(_loop(request), result.response.step), call)
    if isinstance(outcome, Failure):
        result.failure.code = outcome.code.value[0]
        result.failure.message = outcome.text


def _loop(request: pb.MatchLoopRequest) -> Match:
    """Run the match loop.

    When the handler of an input raises an exception, the loop is repeated from the old state without this
    input. The input is logged, and the match sends a rejection to its sender.
    """
    inputs = [codec.player_input(message) for message in request.inputs]
    leaves = [codec.leave(message) for message in request.leaves]
    skipped: set[int] = set()
    while True:
        match = _restore(request)
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
