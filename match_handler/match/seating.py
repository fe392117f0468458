"""Joins, leaves and reconnect windows (DESIGN section 7).

A seat belongs to a user, not to a connection. If the user joins with a new connection, that connection gets
the seat immediately, and a later leave of the old connection changes nothing.
"""

from dataclasses import dataclass
from enum import Enum

from match_handler.match import admission, starting
from match_handler.match.context import MatchContext, Presence
from match_handler.match.game import announce_player, close_if_empty, forfeit, send_snapshot
from match_handler.match.state import Connection, Seat
from set_core.options import Mode


class LeaveReason(Enum):
    """The reason of a leave."""

    LEFT = "left"
    """The client left intentionally."""
    DISCONNECTED = "disconnected"
    """The connection was lost."""
    NEVER_JOINED = "never joined"
    """The join attempt was allowed, but no join followed."""


@dataclass(frozen=True, slots=True)
class Leave:
    """The end of a connection to the match.

    Attributes:
        presence: the connection.
        reason: the reason of the leave.
        left_ms: the match-clock time of the leave, in milliseconds.
    """

    presence: Presence
    reason: LeaveReason
    left_ms: int


def handle_join(context: MatchContext, presence: Presence) -> None:
    """Handle the join of a connection: assign the seat of its user or a new seat, or add a spectator.

    A connection that may not stay is kicked.
    """
    if context.state.closed or context.connection(presence.session_id) is not None:
        return
    if presence.user_id in context.state.kicked_users:
        context.out.kicks.append(presence.session_id)
        return
    is_late = _is_window_over(context, presence.user_id)
    may_sit = admission.redeem_reservations(context, presence)
    context.state.connections.append(Connection(presence.session_id, presence.user_id, presence.username))
    if context.seat_of_user(presence.user_id) is not None:
        _reassign_seats(context, presence, is_late=is_late)
    elif may_sit:
        _add_seats(context, presence)
    elif context.options.allow_spectators:
        send_snapshot(context, presence.session_id)
    else:
        context.out.kicks.append(presence.session_id)
    context.out.kicks.extend(admission.surplus_connections(context, presence.user_id))
    starting.start_if_complete(context)


def _add_seats(context: MatchContext, presence: Presence) -> None:
    is_local = context.options.mode is Mode.PASS_AND_PLAY
    names = context.options.local_players if is_local else (presence.username,)
    first = len(context.state.seats)
    for name in names:
        context.state.seats.append(Seat(presence.user_id, name, session_id=presence.session_id))
    send_snapshot(context, presence.session_id)
    for index in range(first, len(context.state.seats)):
        announce_player(context, index, "JOINED")


def _is_window_over(context: MatchContext, user_id: str) -> bool:
    """Return whether the reconnect window of a user has ended, even if no loop has expired it yet."""
    seat = context.seat_of_user(user_id)
    end_ms = None if seat is None else _window_end_ms(context, context.state.seats[seat])
    return end_ms is not None and end_ms <= context.call.match_ms


def _reassign_seats(context: MatchContext, presence: Presence, *, is_late: bool) -> None:
    if is_late:
        send_snapshot(context, presence.session_id)
        return
    seats = context.seats_of_user(presence.user_id)
    previous = context.state.seats[seats[0]].session_id
    for index in seats:
        seat = context.state.seats[index]
        seat.session_id, seat.reconnect_deadline_ms = presence.session_id, None
    send_snapshot(context, presence.session_id)
    if previous is not None:
        send_snapshot(context, previous)
        return
    for index in seats:
        announce_player(context, index, "RECONNECTED")


def handle_leave(context: MatchContext, leave: Leave) -> None:
    """Handle a leave according to its reason and to the phase of the match."""
    if context.state.closed:
        return
    session_id = leave.presence.session_id
    admission.drop_reservation(context, session_id)
    context.state.connections = [c for c in context.state.connections if c.session_id != session_id]
    seats = context.seats_of_session(session_id)
    if not seats:
        return
    for index in seats:
        context.state.seats[index].session_id = None
    if context.session is None:
        _leave_before_start(context, seats, leave)
    elif context.playing:
        _leave_game(context, seats, leave)
    else:
        _leave_after_end(context, seats)


def _leave_before_start(context: MatchContext, seats: list[int], leave: Leave) -> None:
    if leave.reason is LeaveReason.DISCONNECTED and context.options.reconnect_window_seconds:
        _start_window(context, seats, leave)
    else:
        starting.free_seats(context, seats)
    starting.start_if_complete(context)


def _leave_game(context: MatchContext, seats: list[int], leave: Leave) -> None:
    seats = [index for index in seats if not context.has_forfeited(index)]
    if not seats:
        return
    if leave.reason is LeaveReason.LEFT or context.options.reconnect_window_seconds == 0:
        forfeit(context, seats)
    else:
        _start_window(context, seats, leave)


def _leave_after_end(context: MatchContext, seats: list[int]) -> None:
    for index in seats:
        context.state.seats[index].ready = False
        announce_player(context, index, "DISCONNECTED")
    close_if_empty(context)
    starting.start_if_complete(context)


def _start_window(context: MatchContext, seats: list[int], leave: Leave) -> None:
    """Start the reconnect window [leave, leave + reconnectWindowSeconds) (D11)."""
    left_ms = min(leave.left_ms, context.now_ms)
    deadline_ms = left_ms + context.options.reconnect_window_seconds * 1000
    for index in seats:
        seat = context.state.seats[index]
        seat.ready, seat.reconnect_deadline_ms = False, deadline_ms
        announce_player(context, index, "DISCONNECTED")


def next_window_end_ms(context: MatchContext) -> int | None:
    """Return the match-clock time at which the next reconnect window ends; None if there is no window."""
    ends_ms = [
        end_ms for seat in context.state.seats if (end_ms := _window_end_ms(context, seat)) is not None
    ]
    return min(ends_ms, default=None)


def _window_end_ms(context: MatchContext, seat: Seat) -> int | None:
    """Return the end of a seat's reconnect window.

    A join attempt that was allowed before this end extends the window to the end of its reservation (E70).
    """
    deadline_ms = seat.reconnect_deadline_ms
    if deadline_ms is None:
        return None
    attempts_until_ms = [
        r.until_ms
        for r in context.state.reservations
        if r.user_id == seat.user_id and r.session_id is not None and r.created_ms < deadline_ms
    ]
    return max([deadline_ms, *attempts_until_ms])


def _seats_of_ended_windows(context: MatchContext, until_ms: int) -> list[int]:
    """Return the seats whose reconnect window ends up to a time; the end itself is too late (D11)."""
    return [
        index
        for index, seat in enumerate(context.state.seats)
        if (end_ms := _window_end_ms(context, seat)) is not None and end_ms <= until_ms
    ]


def expiry_ends_game(context: MatchContext, until_ms: int) -> bool:
    """Return whether the game ends if all reconnect windows up to a time expire."""
    if context.session is None or not context.playing:
        return False
    return context.session.end_without(_seats_of_ended_windows(context, until_ms)) is not None


def expire_windows(context: MatchContext) -> None:
    """Expire ended reconnect windows: free the seats before the start, else forfeit."""
    ended = _seats_of_ended_windows(context, context.now_ms)
    for index in ended:
        context.state.seats[index].reconnect_deadline_ms = None
    if context.session is None:
        starting.free_seats(context, ended)
        starting.start_if_complete(context)
    else:
        forfeit(context, ended)
