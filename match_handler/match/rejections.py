"""Which messages of players have no effect, and why: the one place that decides it."""

from match_handler.match.context import Table
from match_handler.match.record import MAX_CLAIMS
from match_handler.match.state import Connection
from match_handler.protocol.received import Claim
from set_core.events import RefusalReason

RATE_WINDOW_MS = 1000
RATE_LIMIT = 30
"""Messages that one connection may send in `RATE_WINDOW_MS`; a fast player needs a tenth of it (E15)."""


def is_over_rate(connection: Connection, received_unix_ms: int) -> bool:
    """Count a message of a connection; whether it is one too many in its second.

    The time of day counts, because the match clock stands still during an outage: what was sent at a normal
    pace while the service was away is handled like any other message.
    """
    if not 0 <= received_unix_ms - connection.window_started_unix_ms < RATE_WINDOW_MS:
        connection.window_started_unix_ms, connection.window_count = received_unix_ms, 0
    connection.window_count += 1
    return connection.window_count > RATE_LIMIT


def claiming_seat(table: Table, session_id: str, claim: Claim) -> int | RefusalReason:
    """The seat that a claim is judged for, or why the match does not give it to the game."""
    seats = table.seats_of_session(session_id)
    if not seats:
        return RefusalReason.SPECTATOR
    if (reason := _not_playing(table)) is not None:
        return reason
    seat = _named_seat(seats, claim.seat if isinstance(claim.seat, int) else None)
    if seat is None:
        return RefusalReason.WRONG_SEAT
    if table.state.seats[seat].has_judged(claim.claim_id):
        return RefusalReason.DUPLICATE
    return seat if table.state.seats[seat].claims_judged < MAX_CLAIMS else RefusalReason.RATE_LIMITED


def _named_seat(seats: list[int], wanted: int | None) -> int | None:
    if wanted is not None:
        return wanted if wanted in seats else None
    return seats[0] if len(seats) == 1 else None


def _not_playing(table: Table) -> RefusalReason | None:
    if table.playing:
        return None
    return RefusalReason.NOT_STARTED if table.session is None else RefusalReason.MATCH_OVER


def hint(table: Table, session_id: str) -> RefusalReason | None:
    """Why a HINT is rejected; None if it is answered."""
    if not table.seats_of_session(session_id):
        return RefusalReason.SPECTATOR
    return _not_playing(table) if table.options.hints else RefusalReason.NOT_ALLOWED


def ready(table: Table, session_id: str) -> RefusalReason | None:
    """Why a READY is rejected; None if it counts."""
    return _unless(table, session_id, allowed=table.session is None)


def extend(table: Table, session_id: str) -> RefusalReason | None:
    """Why an EXTEND is rejected; None if it counts."""
    return ready(table, session_id)


def rematch(table: Table, session_id: str) -> RefusalReason | None:
    """Why a REMATCH is rejected; None if it counts."""
    if table.seats_of_session(session_id) and table.session is None:
        return RefusalReason.NOT_STARTED
    # Nobody can know of an end in this call yet, and all lines of a call go into one record.
    return _unless(table, session_id, allowed=table.game_over and table.out.ended is None)


def kick(table: Table, session_id: str, user_id: str) -> RefusalReason | None:
    """Why a KICK is rejected; None if it counts."""
    sender = table.connection(session_id)
    is_creator = sender is not None and sender.user_id == table.state.creator_id != user_id
    return _unless(table, session_id, allowed=is_creator and table.session is None)


def _unless(table: Table, session_id: str, *, allowed: bool) -> RefusalReason | None:
    if not table.seats_of_session(session_id):
        return RefusalReason.SPECTATOR
    return None if allowed else RefusalReason.NOT_ALLOWED
