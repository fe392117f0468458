"""Inputs: order, handling and rejection (DESIGN section 5, decisions D1 and D5)."""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from match_handler.match import rejections, snapshots, starting
from match_handler.match.context import MatchContext
from match_handler.match.game import announce_player, publish
from match_handler.match.rejections import Rejection
from match_handler.match.state import Connection
from match_handler.protocol import payloads, received
from match_handler.protocol.payloads import OpCode
from set_core.events import ClaimRejected, RejectionReason

_FAILED: Final = "the rules service failed on this message"


class Input(Struct, frozen=True, gc=False):
    """One message of a player, as the shim forwards it."""

    tick: int
    """The number of the tick in which Nakama delivered the message."""
    received_ms: int
    """The match-clock time at which Nakama received it, in milliseconds."""
    received_unix_ms: int
    """The time of day at which Nakama received it, in milliseconds since 1970."""
    user_id: str
    session_id: str
    op_code: int
    """A value of `OpCode`; clients can send any number."""
    data: bytes
    """The payload: JSON, not validated."""


class InputError(Exception):
    """Handling one input failed because of a fault in this service.

    Attributes:
        position: index of the input in the call, from 0.
    """

    def __init__(self, position: int) -> None:
        super().__init__(f"input {position} failed")
        self.position = position


def sort_inputs(inputs: Sequence[Input]) -> list[tuple[int, Input]]:
    """Return (position, input) pairs by tick, then user id (ascending bytes), then position (D1)."""
    return sorted(enumerate(inputs), key=lambda pair: (pair[1].tick, pair[1].user_id.encode()))


def _reject(context: MatchContext, message: Input, rejection: Rejection) -> None:
    """Send CLAIM_REJECTED, only to the sender of the message."""
    reason, claim_id, text = rejection
    context.out.outcomes.append(reason.lower())
    op_code = message.op_code if -(2**31) <= message.op_code < 2**31 else 0
    payload = payloads.ClaimRejected(claim_id, f"CLAIM_REASON_{reason}", op_code, text)
    context.out.to_one(message.session_id, OpCode.CLAIM_REJECTED, payload)


def _handle(context: MatchContext, message: Input, connection: Connection) -> None:
    """Handle a message, or send its rejection."""
    if rejections.is_over_rate(connection, message.received_unix_ms):
        claim_id = received.readable_claim_id(message.data)
        _reject(context, message, Rejection(RejectionReason.RATE_LIMITED, claim_id))
        return
    if context.seats_of_session(message.session_id):
        context.state.last_input_ms = context.now_ms
    rejection = _dispatch(context, message)
    if rejection is not None:
        _reject(context, message, rejection)


def input_handler(context: MatchContext, position: int, message: Input, *, skip: bool) -> Callable[[], None]:
    """Return the function that handles one input of a call.

    The function ignores an input from a connection that is not in the match, and raises `InputError` if the
    handling fails.

    Args:
        context: the match.
        position: index of the input in the call.
        message: the input.
        skip: whether to reject the input as MALFORMED without reading it.
    """

    def handle() -> None:
        connection = context.connection(message.session_id)
        if connection is None:
            return
        if context.state.closed:
            claim_id = received.readable_claim_id(message.data)
            _reject(context, message, Rejection(RejectionReason.MATCH_OVER, claim_id))
            return
        if skip:
            claim_id = received.readable_claim_id(message.data)
            _reject(context, message, Rejection(RejectionReason.MALFORMED, claim_id, _FAILED))
            return
        try:
            _handle(context, message, connection)
        except Exception as error:
            raise InputError(position) from error

    return handle


def _dispatch(context: MatchContext, message: Input) -> Rejection | None:
    handler = _HANDLERS.get(message.op_code)
    if handler is None:
        return Rejection(RejectionReason.MALFORMED, text=f"op code: allowed are {_ALLOWED_OP_CODES}")
    try:
        return handler(context, message)
    except received.MalformedPayloadError as error:
        claim_id = received.readable_claim_id(message.data)
        return Rejection(RejectionReason.MALFORMED, claim_id, str(error))


def _claim(context: MatchContext, message: Input) -> Rejection | None:
    claim = received.decode_claim(message.data)
    seat = rejections.claiming_seat(context, message.session_id, claim)
    if isinstance(seat, Rejection):
        return seat
    assert context.session is not None
    events = context.session.claim(seat, claim.card_ids, context.now_ms)
    rejected = next((event for event in events if isinstance(event, ClaimRejected)), None)
    if rejected is None:
        context.state.seats[seat].remember_judged(claim.claim_id)
    publish(context, events, claim.claim_id)
    return None if rejected is None else Rejection(rejected.reason, claim.claim_id)


def _sync(context: MatchContext, message: Input) -> Rejection | None:
    received.decode_empty(message.data)
    connection = context.connection(message.session_id)
    assert connection is not None
    snapshots.request(context, connection)
    return None


def _vote(context: MatchContext, message: Input, reason: RejectionReason | None) -> Rejection | None:
    received.decode_empty(message.data)
    if reason is not None:
        return Rejection(reason)
    for index in context.seats_of_session(message.session_id):
        if not context.state.seats[index].ready:
            context.state.seats[index].ready = True
            announce_player(context, index, "READY")
    starting.start_if_complete(context)
    return None


def _ready(context: MatchContext, message: Input) -> Rejection | None:
    return _vote(context, message, rejections.ready(context, message.session_id))


def _rematch(context: MatchContext, message: Input) -> Rejection | None:
    return _vote(context, message, rejections.rematch(context, message.session_id))


def _extend(context: MatchContext, message: Input) -> Rejection | None:
    received.decode_empty(message.data)
    reason = rejections.extend(context, message.session_id)
    if reason is not None:
        return Rejection(reason)
    starting.extend(context)
    return None


def _kick(context: MatchContext, message: Input) -> Rejection | None:
    user_id = received.decode_kick(message.data).user_id
    reason = rejections.kick(context, message.session_id, user_id)
    if reason is not None:
        return Rejection(reason)
    starting.kick(context, user_id)
    return None


def _hint(context: MatchContext, message: Input) -> Rejection | None:
    received.decode_empty(message.data)
    reason = rejections.hint(context, message.session_id)
    if reason is not None:
        return Rejection(reason)
    assert context.session is not None
    cards = context.session.hint() or ()
    hint = payloads.HintResult([card.id for card in cards])
    context.out.to_one(message.session_id, OpCode.HINT_RESULT, hint)
    return None


_HANDLERS: Final[dict[int, Callable[[MatchContext, Input], Rejection | None]]] = {
    OpCode.CLAIM: _claim,
    OpCode.SYNC: _sync,
    OpCode.READY: _ready,
    OpCode.REMATCH: _rematch,
    OpCode.HINT: _hint,
    OpCode.EXTEND: _extend,
    OpCode.KICK: _kick,
}
_ALLOWED_OP_CODES: Final = ", ".join(str(int(op_code)) for op_code in _HANDLERS)
