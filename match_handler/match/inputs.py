"""What players send: its order and its outcome (DESIGN section 5, decisions D1, D5)."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from match_handler.match import rejections, starting
from match_handler.match.context import Table
from match_handler.match.game import announce_player, publish, send_snapshot
from match_handler.match.record import MAX_CLAIMS
from match_handler.match.state import Connection
from match_handler.protocol import payloads, received
from match_handler.protocol.payloads import OpCode
from set_core.events import ClaimRefused, RefusalReason


class Input(Struct, frozen=True, gc=False):
    """One message of a player."""

    tick: int
    """The tick in which Nakama handed it over."""
    received_ms: int
    """When Nakama received it, on the match clock."""
    received_unix_ms: int
    """The same as time of day, in milliseconds since 1970."""
    user_id: str
    session_id: str
    op_code: int
    data: bytes


class InputError(Exception):
    """Handling one input failed: a fault of this service.

    Attributes:
        position: which input of the call it was, from 0.
    """

    def __init__(self, position: int) -> None:
        super().__init__(f"input {position} failed")
        self.position = position


class Rejection(NamedTuple):
    """Why a message had no effect."""

    reason: RefusalReason
    claim_id: str = ""
    text: str = ""
    """An explanation in English; empty where the reason needs none."""


def in_order(inputs: Sequence[Input]) -> list[tuple[int, Input]]:
    """The inputs with their positions by tick, then user id (ascending bytes), then arrival (D1)."""
    return sorted(enumerate(inputs), key=lambda numbered: (numbered[1].tick, numbered[1].user_id.encode()))


def reject(table: Table, message: Input, reason: RefusalReason, claim_id: str = "", text: str = "") -> None:
    """Answer the sender, and nobody else, that a message had no effect."""
    table.out.outcomes.append(reason.lower())
    op_code = message.op_code if -(2**31) <= message.op_code < 2**31 else 0
    payload = payloads.ClaimRejected(claim_id, f"CLAIM_REASON_{reason}", op_code, text)
    table.out.to_one(message.session_id, OpCode.CLAIM_REJECTED, payload)


def _handle(table: Table, message: Input, connection: Connection) -> None:
    """Handle a message, or answer its sender why not."""
    if rejections.is_over_rate(connection, message.received_unix_ms):
        reject(table, message, RefusalReason.RATE_LIMITED, received.readable_claim_id(message.data))
        return
    if table.seats_of_session(message.session_id):
        table.state.last_input_ms = table.now_ms
    rejection = _handled(table, message)
    if rejection is not None:
        reject(table, message, *rejection)


def input_handler(table: Table, position: int, message: Input, *, skip: bool) -> Callable[[], None]:
    """What handles one input of a call, or rejects it unseen; a connection outside the match gets no answer.

    Raises (when it is called):
        InputError: handling the input failed.
    """

    def act() -> None:
        connection = table.connection(message.session_id)
        if connection is None:
            return
        if table.state.closed or skip:
            reason = RefusalReason.MATCH_OVER if table.state.closed else RefusalReason.MALFORMED
            text = "" if table.state.closed else "the rules service failed on this message"
            reject(table, message, reason, received.readable_claim_id(message.data), text)
            return
        try:
            _handle(table, message, connection)
        except Exception as error:
            raise InputError(position) from error

    return act


def _handled(table: Table, message: Input) -> Rejection | None:
    handler = _HANDLERS.get(message.op_code)
    if handler is None:
        return Rejection(RefusalReason.MALFORMED, text=f"op code: allowed are {_ALLOWED_OP_CODES}")
    try:
        return handler(table, message)
    except received.MalformedPayloadError as error:
        claim_id = received.readable_claim_id(message.data)
        return Rejection(RefusalReason.MALFORMED, claim_id, str(error))


def _claim(table: Table, message: Input) -> Rejection | None:
    claim = received.decode_claim(message.data)
    seat = rejections.claiming_seat(table, message.session_id, claim)
    if isinstance(seat, RefusalReason):
        is_limit = seat is RefusalReason.RATE_LIMITED
        text = f"{MAX_CLAIMS} claims were judged in this game, the most allowed" if is_limit else ""
        return Rejection(seat, claim.claim_id, text)
    assert table.session is not None
    events = table.session.claim(seat, claim.card_ids, table.now_ms)
    refused = next((event for event in events if isinstance(event, ClaimRefused)), None)
    if refused is None:
        table.state.seats[seat].remember_judged(claim.claim_id)
    publish(table, events, claim.claim_id)
    return None if refused is None else Rejection(refused.reason, claim.claim_id)


def _sync(table: Table, message: Input) -> Rejection | None:
    """Several requests of one connection in a call are answered by one snapshot."""
    received.decode_empty(message.data)
    if message.session_id not in table.out.synced:
        table.out.synced.add(message.session_id)
        send_snapshot(table, message.session_id)
    return None


def _vote(table: Table, message: Input, refusal: RefusalReason | None) -> Rejection | None:
    received.decode_empty(message.data)
    if refusal is not None:
        return Rejection(refusal)
    for index in table.seats_of_session(message.session_id):
        if not table.state.seats[index].ready:
            table.state.seats[index].ready = True
            announce_player(table, index, "READY")
    starting.start_if_complete(table)
    return None


def _ready(table: Table, message: Input) -> Rejection | None:
    return _vote(table, message, rejections.ready(table, message.session_id))


def _rematch(table: Table, message: Input) -> Rejection | None:
    return _vote(table, message, rejections.rematch(table, message.session_id))


def _extend(table: Table, message: Input) -> Rejection | None:
    received.decode_empty(message.data)
    refusal = rejections.extend(table, message.session_id)
    if refusal is not None:
        return Rejection(refusal)
    starting.extend(table)
    return None


def _kick(table: Table, message: Input) -> Rejection | None:
    user_id = received.decode_kick(message.data).user_id
    refusal = rejections.kick(table, message.session_id, user_id)
    if refusal is not None:
        return Rejection(refusal)
    starting.kick(table, user_id)
    return None


def _hint(table: Table, message: Input) -> Rejection | None:
    received.decode_empty(message.data)
    refusal = rejections.hint(table, message.session_id)
    if refusal is not None:
        return Rejection(refusal)
    assert table.session is not None
    cards = table.session.hint() or ()
    hint = payloads.HintResult([card.id for card in cards])
    table.out.to_one(message.session_id, OpCode.HINT_RESULT, hint)
    return None


_HANDLERS: Final[dict[int, Callable[[Table, Input], Rejection | None]]] = {
    OpCode.CLAIM: _claim,
    OpCode.SYNC: _sync,
    OpCode.READY: _ready,
    OpCode.REMATCH: _rematch,
    OpCode.HINT: _hint,
    OpCode.EXTEND: _extend,
    OpCode.KICK: _kick,
}
_ALLOWED_OP_CODES: Final = ", ".join(str(int(op_code)) for op_code in _HANDLERS)
