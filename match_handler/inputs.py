"""What players send: its order, limits and outcome (DESIGN section 5, decisions D1, D5, D8)."""

from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import Final

from msgspec import Struct

from match_handler import payloads
from match_handler.game import announce_player, publish
from match_handler.payloads import MalformedPayloadError, OpCode
from match_handler.record import MAX_CLAIMS
from match_handler.seating import send_snapshot, start_if_complete
from match_handler.state import Connection, Seat
from match_handler.table import Table
from set_core.events import ClaimRefused

RATE_WINDOW_MS: Final = 1000
RATE_LIMIT: Final = 30
"""Messages that one connection may send in RATE_WINDOW_MS; a fast player needs a tenth of it."""

REMEMBERED_CLAIMS: Final = 32
"""How many claim ids a seat remembers, so that a claim sent twice is judged once."""


class Input(Struct, frozen=True, gc=False):
    """One message, as the shim drained it."""

    tick: int
    received_ms: int
    drained_ms: int
    user_id: str
    session_id: str
    op_code: int
    data: bytes


class InputError(Exception):
    """Handling one input failed: a fault of this service. `position` tells which input of the call it was."""

    def __init__(self, position: int) -> None:
        super().__init__(f"input {position} failed")
        self.position = position


Numbered = tuple[int, Input]


def in_order(inputs: Sequence[Input]) -> Iterator[list[Numbered]]:
    """The inputs tick by tick; within a tick by user id (ascending bytes), then as they came (D1)."""
    if len(inputs) == 1:
        yield [(0, inputs[0])]
        return
    by_tick = sorted(enumerate(inputs), key=lambda numbered: numbered[1].tick)
    for _, group in groupby(by_tick, key=lambda numbered: numbered[1].tick):
        yield sorted(group, key=lambda numbered: numbered[1].user_id.encode())


def reject(table: Table, message: Input, reason: str, claim_id: str = "", text: str = "") -> None:
    """Tells the sender, and nobody else, that a message was not accepted."""
    table.out.outcomes.append(reason.lower())
    op_code = message.op_code if -(2**31) <= message.op_code < 2**31 else 0
    payload = payloads.ClaimRejected(claim_id, f"CLAIM_REASON_{reason}", op_code, text)
    table.out.to_one(message.session_id, OpCode.CLAIM_REJECTED, payload)


def _within_rate(connection: Connection, now_ms: int) -> bool:
    if now_ms - connection.window_started_ms >= RATE_WINDOW_MS:
        connection.window_started_ms, connection.window_count = now_ms, 0
    connection.window_count += 1
    return connection.window_count <= RATE_LIMIT


def handle(table: Table, message: Input) -> None:
    """Does what a message asks for, or tells its sender why not; strangers get no answer."""
    connection = table.connection(message.session_id)
    if connection is None:
        return
    handler = _HANDLERS.get(message.op_code)
    if not _within_rate(connection, table.now_ms):
        reject(table, message, "RATE_LIMITED", payloads.readable_claim_id(message.data))
    elif handler is None:
        reject(table, message, "MALFORMED", text=f"op code: allowed are {_ALLOWED_OP_CODES}")
    else:
        try:
            handler(table, message)
        except MalformedPayloadError as error:
            reject(table, message, "MALFORMED", payloads.readable_claim_id(message.data), str(error))


def _phase_refusal(table: Table) -> str | None:
    if table.playing:
        return None
    return "NOT_STARTED" if table.session is None else "MATCH_OVER"


def _claiming_seat(seats: list[int], wanted: int | None) -> int | None:
    if wanted is not None:
        return wanted if wanted in seats else None
    return seats[0] if len(seats) == 1 else None


def _claim(table: Table, message: Input) -> None:
    claim = payloads.decode_claim(message.data)
    seat = _seat_or_refusal(table, message.session_id, claim)
    if isinstance(seat, str):
        text = (
            f"{MAX_CLAIMS} claims were judged in this game, the most allowed"
            if seat == "RATE_LIMITED"
            else ""
        )
        reject(table, message, seat, claim.claim_id, text)
        return
    assert table.session is not None
    events = table.session.claim(seat, claim.card_ids, table.now_ms)
    refused = next((event for event in events if isinstance(event, ClaimRefused)), None)
    if refused is None:
        _remember(table.state.seats[seat], claim.claim_id)
    else:
        reject(table, message, refused.reason.name, claim.claim_id)
    publish(table, events, claim.claim_id)


def _seat_or_refusal(table: Table, session_id: str, claim: payloads.Claim) -> int | str:
    seats = table.seats_of_session(session_id)
    if not seats:
        return "SPECTATOR"
    phase = _phase_refusal(table)
    if phase is not None:
        return phase
    seat = _claiming_seat(seats, claim.seat if isinstance(claim.seat, int) else None)
    if seat is None:
        return "WRONG_SEAT"
    if _fingerprint(claim.claim_id) in table.state.seats[seat].judged_claims:
        return "DUPLICATE"
    return seat if table.state.seats[seat].claims_judged < MAX_CLAIMS else "RATE_LIMITED"


def _fingerprint(claim_id: str) -> bytes:
    return blake2b(claim_id.encode(), digest_size=16).digest()


def _remember(seat: Seat, claim_id: str) -> None:
    seat.judged_claims = [*seat.judged_claims[1 - REMEMBERED_CLAIMS :], _fingerprint(claim_id)]


def _sync(table: Table, message: Input) -> None:
    payloads.decode_empty(message.data)
    send_snapshot(table, message.session_id)


def _vote(table: Table, message: Input, refusal: str | None) -> None:
    payloads.decode_empty(message.data)
    seats = table.seats_of_session(message.session_id)
    refusal = refusal if seats else "SPECTATOR"
    if refusal is not None:
        reject(table, message, refusal)
        return
    for index in seats:
        if not table.state.seats[index].ready:
            table.state.seats[index].ready = True
            announce_player(table, index, "READY")
    start_if_complete(table)


def _ready(table: Table, message: Input) -> None:
    _vote(table, message, None if table.session is None else "NOT_ALLOWED")


def _rematch(table: Table, message: Input) -> None:
    not_over = "NOT_STARTED" if table.session is None else "NOT_ALLOWED"
    # Before this call has told of the end nobody can know of it, and all lines of a call go into one record.
    is_known_over = table.game_over and table.out.ended is None
    _vote(table, message, None if is_known_over else not_over)


def _hint(table: Table, message: Input) -> None:
    payloads.decode_empty(message.data)
    seats = table.seats_of_session(message.session_id)
    refusal = _phase_refusal(table) if seats else "SPECTATOR"
    if seats and not table.options.hints:
        refusal = "NOT_ALLOWED"
    if refusal is not None:
        reject(table, message, refusal)
        return
    assert table.session is not None
    cards = table.session.hint() or ()
    hint = payloads.HintResult([card.id for card in cards])
    table.out.to_one(message.session_id, OpCode.HINT_RESULT, hint)


_HANDLERS: Final[dict[int, Callable[[Table, Input], None]]] = {
    OpCode.CLAIM: _claim,
    OpCode.SYNC: _sync,
    OpCode.READY: _ready,
    OpCode.REMATCH: _rematch,
    OpCode.HINT: _hint,
}
_ALLOWED_OP_CODES: Final = ", ".join(str(int(op_code)) for op_code in _HANDLERS)
