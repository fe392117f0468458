"""Who comes, who goes, and which seat is whose (DESIGN section 7).

A seat belongs to a user, a presence is a session: the same user on a new session takes the seat over at
once, and whatever the old session does later changes nothing.
"""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from match_handler import views
from match_handler.game import announce_player, close_if_deserted, forfeit, start_game
from match_handler.payloads import OpCode
from match_handler.state import Connection, Reservation, Seat
from match_handler.table import Table
from match_handler.watching import is_crowded, surplus_of
from set_core.options import Mode

RESERVATION_MS: Final = 15_000
"""How long a place is kept for somebody who was allowed in: Nakama's own join marker lasts as long."""

WATCH_KEY: Final = "spectate"
"""Join metadata: `"true"` asks for a place to watch, not a seat."""

_SWITCH: Final = {"true": True, "false": False}

FULL: Final = "match full"
OVER: Final = "match over"
STARTED: Final = "match already started"
NO_WATCHING: Final = "spectators not allowed"
CROWDED: Final = "too many spectators"


@dataclass(frozen=True, slots=True)
class Presence:
    """One connection of one user."""

    user_id: str
    session_id: str
    username: str


class LeaveReason(Enum):
    """Why a connection is gone."""

    LEFT = "left"
    DISCONNECTED = "disconnected"
    NEVER_JOINED = "never joined"


@dataclass(frozen=True, slots=True)
class Departure:
    """A connection that is gone, since when on the match clock."""

    presence: Presence
    reason: LeaveReason
    left_ms: int


def _reserve(table: Table, presence: Presence, *, watching: bool) -> None:
    """Keeps a place for this connection; one kept for an expected user stays until the user comes in."""
    _drop_reservations(table, presence.session_id)
    until_ms = table.now_ms + RESERVATION_MS
    table.state.reservations.append(
        Reservation(presence.user_id, presence.username, until_ms, presence.session_id, watching)
    )


def _drop_reservations(table: Table, session_id: str) -> None:
    kept = [r for r in table.state.reservations if r.session_id != session_id]
    table.state.reservations = kept


def _redeem(table: Table, presence: Presence) -> bool:
    """Uses up what was kept for somebody who comes in; whether they may sit down."""
    asked_to_watch = any(r.watching for r in table.state.reservations if r.session_id == presence.session_id)
    may_sit = not asked_to_watch and _may_sit(table, presence)
    _drop_reservations(table, presence.session_id)
    expected = [r for r in table.state.reservations if r.session_id is None and r.user_id == presence.user_id]
    for reservation in expected:
        table.state.reservations.remove(reservation)
    return may_sit


def _may_sit(table: Table, presence: Presence) -> bool:
    if table.session is not None:
        return False
    mine = {r.user_id for r in table.state.reservations if not r.watching}
    return presence.user_id in mine or table.free_places > 0


def _refusal(table: Table, *, wants_to_watch: bool) -> str:
    if table.options.allow_spectators:
        return CROWDED
    if table.game_over:
        return OVER
    if wants_to_watch:
        return NO_WATCHING
    return STARTED if table.playing else FULL


def join_attempt(table: Table, presence: Presence, metadata: dict[str, str]) -> str | None:
    """Reserves a place; the answer is the reason of a refusal, or None.

    Whoever has a seat gets back to it. Others get a free seat before the start; where there is none, or if
    their metadata asks for it, they watch if the options allow it.
    """
    asked = metadata.get(WATCH_KEY, "false").lower()
    if asked not in _SWITCH:
        return f"metadata {WATCH_KEY} is {asked[:40]!a}: allowed are true and false"
    wants_to_watch = _SWITCH[asked]
    has_seat = table.seat_of_user(presence.user_id) is not None
    if has_seat or (not wants_to_watch and _may_sit(table, presence)):
        _reserve(table, presence, watching=False)
    elif table.options.allow_spectators and not is_crowded(table):
        _reserve(table, presence, watching=True)
    else:
        return _refusal(table, wants_to_watch=wants_to_watch)
    return None


def join(table: Table, presence: Presence) -> None:
    """Lets somebody in whose attempt was allowed: to a new seat, to the seat they have, or to watch."""
    if table.connection(presence.session_id) is not None:
        return
    may_sit = _redeem(table, presence)
    table.state.connections.append(
        Connection(presence.session_id, presence.user_id, presence.username, table.now_ms)
    )
    if table.seat_of_user(presence.user_id) is not None:
        _take_over(table, presence)
    elif may_sit:
        _sit_down(table, presence)
    elif table.options.allow_spectators:
        send_snapshot(table, presence.session_id)
    else:
        table.out.kicks.append(presence.session_id)
    table.out.kicks.extend(surplus_of(table, presence.user_id))
    start_if_complete(table)


def send_snapshot(table: Table, session_id: str) -> None:
    """Sends one connection everything it may know."""
    seats = table.seats_of_session(session_id)
    table.out.to_one(session_id, OpCode.SNAPSHOT, views.snapshot_view(table, seats))


def _sit_down(table: Table, presence: Presence) -> None:
    local = table.options.mode is Mode.PASS_AND_PLAY
    names = table.options.local_players if local else (presence.username,)
    first = len(table.state.seats)
    for name in names:
        table.state.seats.append(Seat(presence.user_id, name, session_id=presence.session_id))
    send_snapshot(table, presence.session_id)
    for index in range(first, len(table.state.seats)):
        announce_player(table, index, "JOINED")


def _take_over(table: Table, presence: Presence) -> None:
    seats = table.seats_of_user(presence.user_id)
    previous = table.state.seats[seats[0]].session_id
    for index in seats:
        seat = table.state.seats[index]
        seat.session_id, seat.reconnect_deadline_ms = presence.session_id, None
    send_snapshot(table, presence.session_id)
    if previous is not None:
        send_snapshot(table, previous)
        return
    for index in seats:
        announce_player(table, index, "RECONNECTED")


def leave(table: Table, departure: Departure) -> None:
    """Notes that a connection is gone; what that means depends on why, and on where the match stands."""
    session_id = departure.presence.session_id
    _drop_reservations(table, session_id)
    table.state.connections = [c for c in table.state.connections if c.session_id != session_id]
    seats = table.seats_of_session(session_id)
    if not seats:
        return
    for index in seats:
        table.state.seats[index].session_id = None
    if table.session is None:
        _leave_before_start(table, seats, departure)
    elif table.playing:
        _leave_game(table, seats, departure)
    else:
        _leave_after_end(table, seats)


def _leave_before_start(table: Table, seats: list[int], departure: Departure) -> None:
    if departure.reason is LeaveReason.DISCONNECTED and table.options.reconnect_window_seconds:
        _open_window(table, seats, departure)
    else:
        free_seats(table, seats)
    start_if_complete(table)


def _leave_game(table: Table, seats: list[int], departure: Departure) -> None:
    seats = [index for index in seats if not table.has_forfeited(index)]
    if not seats:
        return
    if departure.reason is LeaveReason.LEFT or table.options.reconnect_window_seconds == 0:
        forfeit(table, seats)
    else:
        _open_window(table, seats, departure)


def _leave_after_end(table: Table, seats: list[int]) -> None:
    for index in seats:
        table.state.seats[index].ready = False
        announce_player(table, index, "DISCONNECTED")
    close_if_deserted(table)
    start_if_complete(table)


def _open_window(table: Table, seats: list[int], departure: Departure) -> None:
    """The window is [leave, leave + reconnectWindowSeconds): D11."""
    left_ms = min(departure.left_ms, table.now_ms)
    deadline_ms = left_ms + table.options.reconnect_window_seconds * 1000
    for index in seats:
        seat = table.state.seats[index]
        seat.ready, seat.reconnect_deadline_ms = False, deadline_ms
        announce_player(table, index, "DISCONNECTED")


def free_seats(table: Table, seats: list[int]) -> None:
    """Gives seats back before the start; later seats move up, so everybody left gets a snapshot."""
    for index in seats:
        announce_player(table, index, "FORFEITED")
    table.state.seats = [seat for index, seat in enumerate(table.state.seats) if index not in seats]
    _send_snapshots(table)


def expire_windows(table: Table) -> None:
    """Takes out those whose window has ended: at its very end it is too late (D11)."""
    due = [
        index
        for index, seat in enumerate(table.state.seats)
        if seat.reconnect_deadline_ms is not None and seat.reconnect_deadline_ms <= table.now_ms
    ]
    for index in due:
        table.state.seats[index].reconnect_deadline_ms = None
    if table.session is None:
        free_seats(table, due)
        start_if_complete(table)
    else:
        forfeit(table, due)


def start_if_complete(table: Table) -> None:
    """Starts a game that waits for nobody any more: the first, or a rematch."""
    if table.state.closed or table.playing:
        return
    if table.session is None and (_table_is_full(table) or _all_ready(table)):
        start_first_game(table)
    elif table.game_over and _all_ready(table):
        _start_rematch(table)


def _start_rematch(table: Table) -> None:
    """Starts another game with those who are connected; if that moves seats, everybody gets a snapshot."""
    before = table.state.seats
    table.state.seats = [seat for seat in before if seat.bot_level or seat.session_id]
    start_game(table)
    if len(table.state.seats) < len(before):
        _send_snapshots(table)


def _send_snapshots(table: Table) -> None:
    for connection in table.state.connections:
        send_snapshot(table, connection.session_id)


def _table_is_full(table: Table) -> bool:
    seats = table.state.seats
    return table.seated_users == table.user_places and len(table.connected_humans()) == len(seats)


def _all_ready(table: Table) -> bool:
    return enough_players(table) and all(seat.ready for seat in table.connected_humans())


def enough_players(table: Table) -> bool:
    """Whether the connected players and the bots are enough for a game."""
    humans = table.connected_humans()
    return bool(humans) and len(humans) + len(table.options.bots) >= table.options.min_players


def start_first_game(table: Table) -> None:
    """Starts with those who are connected; whoever is away gives the seat back."""
    absent = [index for index, seat in enumerate(table.state.seats) if seat.session_id is None]
    if absent:
        free_seats(table, absent)
    start_game(table)
