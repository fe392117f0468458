"""The conditions under which a message of a player is rejected."""

from typing import Final, NamedTuple

from match_handler.match.context import MatchContext
from match_handler.match.record import MAX_CLAIMS
from match_handler.match.state import Connection
from match_handler.protocol.received import Claim
from set_core.events import RejectionReason

RATE_WINDOW_MS: Final = 1000
RATE_LIMIT: Final = 30
"""Messages that one connection may send per `RATE_WINDOW_MS`; a fast player needs a tenth of it (E15)."""


class Rejection(NamedTuple):
    """The reason why a message had no effect."""

    reason: RejectionReason
    claim_id: str = ""
    text: str = ""
    """An explanation in English; empty if the reason is enough."""


_TOO_MANY_CLAIMS: Final = f"{MAX_CLAIMS} claims were judged in this game, the most allowed"


def is_over_rate(connection: Connection, received_unix_ms: int) -> bool:
    """Count a message of a connection, and return whether it exceeds the rate limit.

    The limit uses the time of day, because the match clock stops during an outage: messages that were sent at
    a normal rate during an outage must not be rejected after it.
    """
    if not 0 <= received_unix_ms - connection.window_started_unix_ms < RATE_WINDOW_MS:
        connection.window_started_unix_ms, connection.window_count = received_unix_ms, 0
    connection.window_count += 1
    return connection.window_count > RATE_LIMIT


def claiming_seat(context: MatchContext, session_id: str, claim: Claim) -> int | Rejection:
    """Return the seat of a claim, or the rejection of the claim before the game judges it."""
    seat = _seat_or_reason(context, session_id, claim)
    if isinstance(seat, int):
        return seat
    text = _TOO_MANY_CLAIMS if seat is RejectionReason.RATE_LIMITED else ""
    return Rejection(seat, claim.claim_id, text)


def _seat_or_reason(context: MatchContext, session_id: str, claim: Claim) -> int | RejectionReason:
    seats = context.seats_of_session(session_id)
    if not seats:
        return RejectionReason.SPECTATOR
    if (reason := _phase_reason(context)) is not None:
        return reason
    seat = _select_seat(seats, claim.seat if isinstance(claim.seat, int) else None)
    if seat is None:
        return RejectionReason.WRONG_SEAT
    if context.state.seats[seat].has_judged(claim.claim_id):
        return RejectionReason.DUPLICATE
    return seat if context.state.seats[seat].claims_judged < MAX_CLAIMS else RejectionReason.RATE_LIMITED


def _select_seat(seats: list[int], requested: int | None) -> int | None:
    if requested is not None:
        return requested if requested in seats else None
    return seats[0] if len(seats) == 1 else None


def _phase_reason(context: MatchContext) -> RejectionReason | None:
    if context.playing:
        return None
    return RejectionReason.NOT_STARTED if context.session is None else RejectionReason.MATCH_OVER


def hint(context: MatchContext, session_id: str) -> RejectionReason | None:
    """Return why a HINT is rejected; None if it is accepted."""
    if not context.seats_of_session(session_id):
        return RejectionReason.SPECTATOR
    return _phase_reason(context) if context.options.hints else RejectionReason.NOT_ALLOWED


def ready(context: MatchContext, session_id: str) -> RejectionReason | None:
    """Return why a READY is rejected; None if it is accepted."""
    return _permission_reason(context, session_id, allowed=context.session is None)


def extend(context: MatchContext, session_id: str) -> RejectionReason | None:
    """Return why an EXTEND is rejected; None if it is accepted."""
    return ready(context, session_id)


def rematch(context: MatchContext, session_id: str) -> RejectionReason | None:
    """Return why a REMATCH is rejected; None if it is accepted."""
    if context.seats_of_session(session_id) and context.session is None:
        return RejectionReason.NOT_STARTED
    # Clients do not know yet that a game ended in this call. Also, all lines of a call belong to one record.
    return _permission_reason(context, session_id, allowed=context.game_over and context.out.ended is None)


def kick(context: MatchContext, session_id: str, user_id: str) -> RejectionReason | None:
    """Return why a KICK is rejected; None if it is accepted."""
    sender = context.connection(session_id)
    is_creator = sender is not None and sender.user_id == context.state.creator_id != user_id
    return _permission_reason(context, session_id, allowed=is_creator and context.session is None)


def _permission_reason(context: MatchContext, session_id: str, *, allowed: bool) -> RejectionReason | None:
    if not context.seats_of_session(session_id):
        return RejectionReason.SPECTATOR
    return None if allowed else RejectionReason.NOT_ALLOWED
