"""Joins and leaves, and which seat belongs to which user (DESIGN section 7).

A seat belongs to a user, a presence is a connection: the same user on a new connection takes the seat over at
once, and whatever the old connection does later changes nothing.
"""

from dataclasses import dataclass
from enum import Enum

from match_handler.match import admission, starting
from match_handler.match.context import Presence, Table
from match_handler.match.game import announce_player, close_if_deserted, forfeit, send_snapshot
from match_handler.match.state import Connection, Seat
from match_handler.match.watching import surplus_of
from set_core.options import Mode


class LeaveReason(Enum):
    """Why a connection left."""

    LEFT = "left"
    DISCONNECTED = "disconnected"
    NEVER_JOINED = "never joined"


@dataclass(frozen=True, slots=True)
class Leave:
    """A connection that left, and when on the match clock."""

    presence: Presence
    reason: LeaveReason
    left_ms: int


def join(table: Table, presence: Presence) -> None:
    """Join a connection whose attempt was allowed: to a new seat, to the seat of its user, or to watch."""
    if table.state.closed or table.connection(presence.session_id) is not None:
        return
    if presence.user_id in table.state.kicked:
        table.out.kicks.append(presence.session_id)
        return
    is_late = _is_window_over(table, presence.user_id)
    may_sit = admission.redeem(table, presence)
    table.state.connections.append(Connection(presence.session_id, presence.user_id, presence.username))
    if table.seat_of_user(presence.user_id) is not None:
        _take_over(table, presence, is_late=is_late)
    elif may_sit:
        _sit_down(table, presence)
    elif table.options.allow_spectators:
        send_snapshot(table, presence.session_id)
    else:
        table.out.kicks.append(presence.session_id)
    table.out.kicks.extend(surplus_of(table, presence.user_id))
    starting.start_if_complete(table)


def _sit_down(table: Table, presence: Presence) -> None:
    local = table.options.mode is Mode.PASS_AND_PLAY
    names = table.options.local_players if local else (presence.username,)
    first = len(table.state.seats)
    for name in names:
        table.state.seats.append(Seat(presence.user_id, name, session_id=presence.session_id))
    send_snapshot(table, presence.session_id)
    for index in range(first, len(table.state.seats)):
        announce_player(table, index, "JOINED")


def _is_window_over(table: Table, user_id: str) -> bool:
    """Whether the reconnect window of a user has ended, although only the next loop will expire it."""
    seat = table.seat_of_user(user_id)
    end_ms = None if seat is None else _window_end_ms(table, table.state.seats[seat])
    return end_ms is not None and end_ms <= table.call.match_ms


def _take_over(table: Table, presence: Presence, *, is_late: bool) -> None:
    seats = table.seats_of_user(presence.user_id)
    previous = table.state.seats[seats[0]].session_id
    if is_late:
        send_snapshot(table, presence.session_id)
        return
    for index in seats:
        seat = table.state.seats[index]
        seat.session_id, seat.reconnect_deadline_ms = presence.session_id, None
    send_snapshot(table, presence.session_id)
    if previous is not None:
        send_snapshot(table, previous)
        return
    for index in seats:
        announce_player(table, index, "RECONNECTED")


def leave(table: Table, leaving: Leave) -> None:
    """Handle a leave; its consequences depend on its reason and on where the match stands."""
    if table.state.closed:
        return
    session_id = leaving.presence.session_id
    admission.drop_reservation(table, session_id)
    table.state.connections = [c for c in table.state.connections if c.session_id != session_id]
    seats = table.seats_of_session(session_id)
    if not seats:
        return
    for index in seats:
        table.state.seats[index].session_id = None
    if table.session is None:
        _leave_before_start(table, seats, leaving)
    elif table.playing:
        _leave_game(table, seats, leaving)
    else:
        _leave_after_end(table, seats)


def _leave_before_start(table: Table, seats: list[int], leaving: Leave) -> None:
    if leaving.reason is LeaveReason.DISCONNECTED and table.options.reconnect_window_seconds:
        _open_window(table, seats, leaving)
    else:
        starting.free_seats(table, seats)
    starting.start_if_complete(table)


def _leave_game(table: Table, seats: list[int], leaving: Leave) -> None:
    seats = [index for index in seats if not table.has_forfeited(index)]
    if not seats:
        return
    if leaving.reason is LeaveReason.LEFT or table.options.reconnect_window_seconds == 0:
        forfeit(table, seats)
    else:
        _open_window(table, seats, leaving)


def _leave_after_end(table: Table, seats: list[int]) -> None:
    for index in seats:
        table.state.seats[index].ready = False
        announce_player(table, index, "DISCONNECTED")
    close_if_deserted(table)
    starting.start_if_complete(table)


def _open_window(table: Table, seats: list[int], leaving: Leave) -> None:
    """Open the reconnect window [leave, leave + reconnectWindowSeconds): D11."""
    left_ms = min(leaving.left_ms, table.now_ms)
    deadline_ms = left_ms + table.options.reconnect_window_seconds * 1000
    for index in seats:
        seat = table.state.seats[index]
        seat.ready, seat.reconnect_deadline_ms = False, deadline_ms
        announce_player(table, index, "DISCONNECTED")


def next_window_end(table: Table) -> int | None:
    """When the next reconnect window ends; None if none is open."""
    ends = [end_ms for seat in table.state.seats if (end_ms := _window_end_ms(table, seat)) is not None]
    return min(ends, default=None)


def _window_end_ms(table: Table, seat: Seat) -> int | None:
    """When a seat's window ends: a join attempt that was allowed before keeps it open until the join."""
    deadline_ms = seat.reconnect_deadline_ms
    if deadline_ms is None:
        return None
    attempts = [
        r.until_ms
        for r in table.state.reservations
        if r.user_id == seat.user_id and r.session_id is not None and r.made_ms < deadline_ms
    ]
    return max([deadline_ms, *attempts])


def leaves_too_few(table: Table, end_ms: int) -> bool:
    """Whether the reconnect windows up to a time end the game: only bots, or one player of several, stay."""
    if table.session is None or not table.playing:
        return False
    seats = table.state.seats
    staying = [
        player
        for seat, player in zip(seats, table.session.players, strict=True)
        if not player.forfeited and (_window_end_ms(table, seat) or end_ms + 1) > end_ms
    ]
    return all(player.bot for player in staying) or len(staying) == 1 < len(seats)


def expire_windows(table: Table) -> None:
    """Take players out whose window has ended: a return at its very end is too late (D11)."""
    ended = [
        index
        for index, seat in enumerate(table.state.seats)
        if (end_ms := _window_end_ms(table, seat)) is not None and end_ms <= table.now_ms
    ]
    for index in ended:
        table.state.seats[index].reconnect_deadline_ms = None
    if table.session is None:
        starting.free_seats(table, ended)
        starting.start_if_complete(table)
    else:
        forfeit(table, ended)
