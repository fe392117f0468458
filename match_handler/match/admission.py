"""Who may join a match: reservations, invitations, free seats and places to watch (DESIGN section 7).

The service alone decides about seats. A reservation keeps a seat for a user until a time that is never
extended; a user whose reservation ends unused gets no other in the same match (E68).
"""

import hmac
from collections.abc import Sequence
from typing import Final

from match_handler.match.context import Presence, Table
from match_handler.match.state import Reservation
from match_handler.match.watching import is_crowded

RESERVATION_MS: Final = 15_000
"""How long a seat is reserved: Nakama's own marker of an allowed join lasts as long."""

MOST_UNUSED: Final = 64
"""How many users with unused reservations a match remembers."""

WATCH_KEY: Final = "spectate"
"""Join metadata: `"true"` asks for a place to watch, not a seat."""
_SWITCH: Final = {"true": True, "false": False}

INVITATION_KEY: Final = "invitation"
"""Join metadata: what a join to a private match needs."""

FULL: Final = "match full"
OVER: Final = "match over"
STARTED: Final = "match already started"
NO_WATCHING: Final = "spectators not allowed"
CROWDED: Final = "too many spectators"
KICKED: Final = "removed from this match"
NOT_INVITED: Final = "invitation needed"
WATCHING: Final = "already watching this match"
UNUSED: Final = "an earlier reservation in this match was not used"


def reserve(table: Table, users: Sequence[Presence]) -> str | None:
    """Reserve a seat for each user, or for none; a user who has a seat or a reservation keeps it.

    Returns:
        Why not; None if each user has a seat now, reserved or taken.
    """
    state = table.state
    if state.closed or table.game_over:
        return OVER
    wanting = [user for user in users if table.seat_of_user(user.user_id) is None]
    if wanting and table.session is not None:
        return STARTED
    wanting = [user for user in wanting if not _has_reservation(table, user.user_id)]
    refusal = next((reason for user in wanting if (reason := _no_reservation(table, user.user_id))), None)
    if refusal is not None:
        return refusal
    if len(wanting) > table.free_places:
        return FULL
    until_ms = table.now_ms + RESERVATION_MS
    state.reservations += [
        Reservation(user.user_id, user.username, table.now_ms, until_ms) for user in wanting
    ]
    return None


def _no_reservation(table: Table, user_id: str) -> str | None:
    """Why this user gets no reservation in this match, although a seat may be free."""
    if table.options.private:
        return NOT_INVITED
    if user_id in table.state.kicked:
        return KICKED
    if user_id in table.state.unused:
        return UNUSED
    is_watching = any(connection.user_id == user_id for connection in table.state.connections)
    return WATCHING if is_watching else None


def _has_reservation(table: Table, user_id: str) -> bool:
    return any(r.user_id == user_id and not r.watching for r in table.state.reservations)


def join_attempt(table: Table, presence: Presence, metadata: dict[str, str]) -> str | None:
    """Allow a connection to join, and reserve its seat or its place to watch.

    A user with a seat gets back to it. Others get a free seat before the start; where there is none, or if
    their metadata asks for it, they watch if the options allow it.

    Returns:
        The reason of a refusal, for the client; None if the connection may join.
    """
    asked = metadata.get(WATCH_KEY, "false").lower()
    if asked not in _SWITCH:
        return f"metadata {WATCH_KEY} is {asked[:40]!a}: allowed are true and false"
    if table.state.closed:
        return OVER
    if presence.user_id in table.state.kicked:
        return KICKED
    if table.seat_of_user(presence.user_id) is not None:
        _reserve_connection(table, presence, watching=False)
    elif not _is_invited(table, presence.user_id, metadata):
        return NOT_INVITED
    elif not _SWITCH[asked] and may_sit(table, presence.user_id):
        _reserve_connection(table, presence, watching=False)
    elif table.options.allow_spectators and not is_crowded(table):
        _reserve_connection(table, presence, watching=True)
    else:
        return _refusal(table, wants_to_watch=_SWITCH[asked])
    return None


def _is_invited(table: Table, user_id: str, metadata: dict[str, str]) -> bool:
    given = metadata.get(INVITATION_KEY, "").encode()
    is_open = not table.options.private or hmac.compare_digest(given, table.invitation.encode())
    return is_open or _has_reservation(table, user_id)


def may_sit(table: Table, user_id: str) -> bool:
    """Whether there is a seat for this user, who has none."""
    if table.session is not None:
        return False
    return _has_reservation(table, user_id) or table.free_places > 0


def _refusal(table: Table, *, wants_to_watch: bool) -> str:
    if table.options.allow_spectators:
        return CROWDED
    if table.game_over:
        return OVER
    if wants_to_watch:
        return NO_WATCHING
    return STARTED if table.playing else FULL


def _reserve_connection(table: Table, presence: Presence, *, watching: bool) -> None:
    """Reserve a place between the attempt and the join; a user's own reservation stays beside it."""
    drop_reservation(table, presence.session_id)
    made_ms = table.call.match_ms
    table.state.reservations.append(
        Reservation(
            presence.user_id,
            presence.username,
            made_ms,
            made_ms + RESERVATION_MS,
            presence.session_id,
            watching,
        )
    )


def drop_reservation(table: Table, session_id: str) -> None:
    """Drop what was reserved for a connection."""
    table.state.reservations = [r for r in table.state.reservations if r.session_id != session_id]


def redeem(table: Table, presence: Presence) -> bool:
    """Use up the reservations for a connection that joins, and for its user; whether it may sit."""
    own = [r for r in table.state.reservations if r.session_id == presence.session_id]
    sits = not any(r.watching for r in own) and may_sit(table, presence.user_id)
    drop_reservation(table, presence.session_id)
    table.state.reservations = [
        r for r in table.state.reservations if r.session_id is not None or r.user_id != presence.user_id
    ]
    return sits


def expire_reservations(table: Table) -> None:
    """Drop the reservations that have ended, and remember the users who did not use theirs."""
    state = table.state
    ended = [r for r in state.reservations if r.until_ms <= table.now_ms]
    state.reservations = [r for r in state.reservations if r.until_ms > table.now_ms]
    unused = [r.user_id for r in ended if r.session_id is None and r.user_id not in state.unused]
    state.unused = [*state.unused, *unused][-MOST_UNUSED:]
