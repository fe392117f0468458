"""Seat reservations, join attempts and limits for connections (DESIGN section 7, decisions E59 and E68).

Only the rules service decides about seats. A reservation keeps a seat for a user until a time that is never
extended. A user whose reservation ends unused gets no other reservation in the same match.
"""

import hmac
from collections.abc import Sequence
from typing import Final

from match_handler.match.context import MatchContext, Presence
from match_handler.match.state import Reservation

RESERVATION_MS: Final = 15_000
"""How long a seat is reserved. Nakama's own marker of an allowed join attempt has the same lifetime."""

MAX_EXPIRED_USERS: Final = 64
"""How many users with an unused reservation a match stores."""

MAX_SPECTATORS: Final = 100
"""Connections without a seat, including reserved ones. Each is in the state that every call carries (E59)."""

MAX_CONNECTIONS_OF_A_USER: Final = 4
"""Connections of one user in a match; of more, the oldest are kicked (E59)."""

SPECTATE_KEY: Final = "spectate"
"""Join metadata: `"true"` requests a place as a spectator instead of a seat."""
_BOOLEANS: Final = {"true": True, "false": False}

INVITATION_KEY: Final = "invitation"
"""Join metadata: the token that a join attempt to a private match must carry."""

FULL: Final = "match full"
OVER: Final = "match over"
STARTED: Final = "match already started"
NO_SPECTATORS: Final = "spectators not allowed"
TOO_MANY_SPECTATORS: Final = "too many spectators"
KICKED: Final = "removed from this match"
NOT_INVITED: Final = "invitation needed"
ALREADY_SPECTATOR: Final = "already watching this match"
RESERVATION_EXPIRED: Final = "an earlier reservation in this match was not used"


def reserve(context: MatchContext, users: Sequence[Presence]) -> str | None:
    """Reserve a seat for all users or for none. A user with a seat or a reservation keeps it.

    Returns:
        None if each user has a seat or a reservation now, else the reason for the rejection.
    """
    state = context.state
    if state.closed or context.game_over:
        return OVER
    seatless = [user for user in users if context.seat_of_user(user.user_id) is None]
    if seatless and context.session is not None:
        return STARTED
    new_users = [user for user in seatless if not _has_reservation(context, user.user_id)]
    reasons = (_reservation_rejection(context, user.user_id) for user in new_users)
    rejection = next((reason for reason in reasons if reason is not None), None)
    if rejection is not None:
        return rejection
    if len(new_users) > context.vacancies:
        return FULL
    until_ms = context.now_ms + RESERVATION_MS
    state.reservations += [
        Reservation(user.user_id, user.username, context.now_ms, until_ms) for user in new_users
    ]
    return None


def _reservation_rejection(context: MatchContext, user_id: str) -> str | None:
    """Return why a user cannot get a reservation even if a seat is free."""
    if context.options.private:
        return NOT_INVITED
    if user_id in context.state.kicked_users:
        return KICKED
    if user_id in context.state.expired_users:
        return RESERVATION_EXPIRED
    is_spectator = any(connection.user_id == user_id for connection in context.state.connections)
    return ALREADY_SPECTATOR if is_spectator else None


def _has_reservation(context: MatchContext, user_id: str) -> bool:
    return any(r.user_id == user_id and not r.spectator for r in context.state.reservations)


def join_attempt(context: MatchContext, presence: Presence, metadata: dict[str, str]) -> str | None:
    """Allow or reject a join attempt, and reserve a seat or a place as a spectator for the connection.

    A user with a seat keeps it. Before the start, other users get a free seat. If no seat is free, or if the
    metadata requests it, they become spectators, provided that the options allow spectators.

    Returns:
        None if the connection may join, else the reason for the client.
    """
    spectate_text = metadata.get(SPECTATE_KEY, "false").lower()
    if spectate_text not in _BOOLEANS:
        return f"metadata {SPECTATE_KEY} is {spectate_text[:40]!a}: allowed are true and false"
    spectate = _BOOLEANS[spectate_text]
    if context.state.closed:
        return OVER
    if presence.user_id in context.state.kicked_users:
        return KICKED
    if context.seat_of_user(presence.user_id) is not None:
        _reserve_for_connection(context, presence, spectator=False)
    elif not _is_invited(context, presence.user_id, metadata):
        return NOT_INVITED
    elif not spectate and _can_take_seat(context, presence.user_id):
        _reserve_for_connection(context, presence, spectator=False)
    elif context.options.allow_spectators and not _is_spectator_limit_reached(context):
        _reserve_for_connection(context, presence, spectator=True)
    else:
        return _join_rejection(context, spectate=spectate)
    return None


def _is_invited(context: MatchContext, user_id: str, metadata: dict[str, str]) -> bool:
    token = metadata.get(INVITATION_KEY, "").encode()
    is_invited = not context.options.private or hmac.compare_digest(token, context.invitation.encode())
    return is_invited or _has_reservation(context, user_id)


def _can_take_seat(context: MatchContext, user_id: str) -> bool:
    """Return whether a user without a seat can get one."""
    if context.session is not None:
        return False
    return _has_reservation(context, user_id) or context.vacancies > 0


def _is_spectator_limit_reached(context: MatchContext) -> bool:
    playing = {seat.session_id for seat in context.state.seats}
    joined = sum(connection.session_id not in playing for connection in context.state.connections)
    return joined + sum(r.spectator for r in context.state.reservations) >= MAX_SPECTATORS


def _join_rejection(context: MatchContext, *, spectate: bool) -> str:
    if context.options.allow_spectators:
        return TOO_MANY_SPECTATORS
    if context.game_over:
        return OVER
    if spectate:
        return NO_SPECTATORS
    return STARTED if context.playing else FULL


def _reserve_for_connection(context: MatchContext, presence: Presence, *, spectator: bool) -> None:
    """Reserve a place from the join attempt to the join. A reservation of the user is kept too."""
    drop_reservation(context, presence.session_id)
    created_ms = context.call.match_ms
    context.state.reservations.append(
        Reservation(
            presence.user_id,
            presence.username,
            created_ms,
            created_ms + RESERVATION_MS,
            presence.session_id,
            spectator,
        )
    )


def drop_reservation(context: MatchContext, session_id: str) -> None:
    """Drop the reservation of a connection."""
    context.state.reservations = [r for r in context.state.reservations if r.session_id != session_id]


def redeem_reservations(context: MatchContext, presence: Presence) -> bool:
    """Use up the reservations of a joining connection and of its user.

    Returns:
        Whether the connection may take a seat.
    """
    own = [r for r in context.state.reservations if r.session_id == presence.session_id]
    may_sit = not any(r.spectator for r in own) and _can_take_seat(context, presence.user_id)
    drop_reservation(context, presence.session_id)
    context.state.reservations = [
        r for r in context.state.reservations if r.session_id is not None or r.user_id != presence.user_id
    ]
    return may_sit


def expire_reservations(context: MatchContext) -> None:
    """Drop the reservations that have ended, and store the users who did not use their reservation."""
    state = context.state
    ended = [r for r in state.reservations if r.until_ms <= context.now_ms]
    state.reservations = [r for r in state.reservations if r.until_ms > context.now_ms]
    unused = [r.user_id for r in ended if r.session_id is None and r.user_id not in state.expired_users]
    state.expired_users = [*state.expired_users, *unused][-MAX_EXPIRED_USERS:]


def surplus_connections(context: MatchContext, user_id: str) -> list[str]:
    """Return the session ids of a user's oldest connections above `MAX_CONNECTIONS_OF_A_USER`."""
    session_ids = [c.session_id for c in context.state.connections if c.user_id == user_id]
    return session_ids[:-MAX_CONNECTIONS_OF_A_USER]
