"""Before a game: filling up, ready checks, kicks, the start and the rematch (DESIGN section 7)."""

from typing import Final

from match_handler.match.context import Table
from match_handler.match.game import announce_player, end_match, send_snapshots, start_game
from match_handler.protocol.payloads import FillTime, OpCode
from set_core.options import MatchOptions
from set_core.results import EndReason

FILL_MS: Final = 60_000
"""How long a public match may take to fill."""

PRIVATE_FILL_MS: Final = 600_000
"""How long a private match may take to fill: friends need time to follow an invitation."""

LONGEST_FILL_MS: Final = 3_600_000
"""How long a match may take to fill at most, however often its players extend the time."""

MOST_KICKED: Final = 64
"""How many kicked users a match remembers."""


def fill_ms(options: MatchOptions) -> int:
    """How long a match may take to fill, in milliseconds."""
    return PRIVATE_FILL_MS if options.private else FILL_MS


def extend(table: Table) -> None:
    """Give the match its whole fill time again, up to `LONGEST_FILL_MS` since MatchInit."""
    state = table.state
    state.fill_deadline_ms = max(
        state.fill_deadline_ms, min(table.now_ms + fill_ms(table.options), LONGEST_FILL_MS)
    )
    table.out.to_all(OpCode.FILL_TIME, FillTime(table.next_seq(), state.fill_deadline_ms))


def kick(table: Table, user_id: str) -> None:
    """Remove a user before the start, for good."""
    state = table.state
    state.kicked = [*state.kicked, user_id][-MOST_KICKED:]
    state.reservations = [r for r in state.reservations if r.user_id != user_id]
    seats = table.seats_of_user(user_id)
    for index in seats:
        announce_player(table, index, "KICKED")
    gone = [c.session_id for c in state.connections if c.user_id == user_id]
    table.out.kicks += gone
    state.connections = [c for c in state.connections if c.user_id != user_id]
    if seats:
        _remove_seats(table, seats)
    start_if_complete(table)


def free_seats(table: Table, seats: list[int]) -> None:
    """Give seats back before the start; later seats move up, so all connections get a snapshot."""
    for index in seats:
        announce_player(table, index, "FORFEITED")
    _remove_seats(table, seats)


def _remove_seats(table: Table, seats: list[int]) -> None:
    table.state.seats = [seat for index, seat in enumerate(table.state.seats) if index not in seats]
    send_snapshots(table)


def fill_time_over(table: Table) -> None:
    """Start with the connected players if they are enough, else end the match as ABANDONED."""
    if enough_players(table):
        start_first_game(table)
    else:
        end_match(table, EndReason.ABANDONED)


def start_if_complete(table: Table) -> None:
    """Start a game that waits for nobody any more: the first, or a rematch."""
    if table.state.closed or table.playing:
        return
    if table.session is None and _is_complete(table):
        start_first_game(table)
    elif table.game_over and _all_ready(table):
        _start_rematch(table)


def _is_complete(table: Table) -> bool:
    """A public match starts when it is full; every match starts when all connected players are ready."""
    return _all_ready(table) or (not table.options.private and _is_full(table))


def _is_full(table: Table) -> bool:
    seats = table.state.seats
    return table.seated_users == table.user_places and len(table.connected_humans()) == len(seats)


def _all_ready(table: Table) -> bool:
    return enough_players(table) and all(seat.ready for seat in table.connected_humans())


def enough_players(table: Table) -> bool:
    """Whether the connected players and the bots are enough for a game."""
    humans = table.connected_humans()
    return bool(humans) and len(humans) + len(table.options.bots) >= table.options.min_players


def start_first_game(table: Table) -> None:
    """Start with the connected players; the others give their seats back."""
    absent = [index for index, seat in enumerate(table.state.seats) if seat.session_id is None]
    if absent:
        free_seats(table, absent)
    start_game(table)


def _start_rematch(table: Table) -> None:
    """Start another game with the connected players; if that moves seats, all connections get a snapshot."""
    before = table.state.seats
    table.state.seats = [seat for seat in before if seat.bot_level or seat.session_id]
    start_game(table)
    if len(table.state.seats) < len(before):
        send_snapshots(table)
