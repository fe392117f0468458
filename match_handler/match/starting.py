"""Start of a game: fill time, ready checks, kicks, first start and rematch (DESIGN section 7)."""

from typing import Final

from match_handler.match.context import MatchContext
from match_handler.match.game import announce_player, end_match, send_snapshots, start_game
from match_handler.protocol.payloads import FillTime, OpCode
from set_core.options import MatchOptions
from set_core.results import EndReason

FILL_MS: Final = 60_000
"""Fill time of a public match."""

PRIVATE_FILL_MS: Final = 600_000
"""Fill time of a private match. It is longer because invited users need time to join."""

LONGEST_FILL_MS: Final = 3_600_000
"""Maximum fill time, including all extensions, since MatchInit."""

MAX_KICKED_USERS: Final = 64
"""How many kicked users a match stores."""


def fill_ms(options: MatchOptions) -> int:
    """Return the fill time of a match in milliseconds."""
    return PRIVATE_FILL_MS if options.private else FILL_MS


def extend(context: MatchContext) -> None:
    """Restart the fill time, up to `LONGEST_FILL_MS` since MatchInit."""
    state = context.state
    state.fill_deadline_ms = max(
        state.fill_deadline_ms, min(context.now_ms + fill_ms(context.options), LONGEST_FILL_MS)
    )
    context.out.to_all(OpCode.FILL_TIME, FillTime(context.next_seq(), state.fill_deadline_ms))


def kick(context: MatchContext, user_id: str) -> None:
    """Remove a user before the start and reject later join attempts of this user."""
    state = context.state
    state.kicked_users = [*state.kicked_users, user_id][-MAX_KICKED_USERS:]
    state.reservations = [r for r in state.reservations if r.user_id != user_id]
    seats = context.seats_of_user(user_id)
    for index in seats:
        announce_player(context, index, "KICKED")
    context.out.kicks += [c.session_id for c in state.connections if c.user_id == user_id]
    state.connections = [c for c in state.connections if c.user_id != user_id]
    if seats:
        _remove_seats(context, seats)
    start_if_complete(context)


def free_seats(context: MatchContext, seats: list[int]) -> None:
    """Free seats before the start.

    The indexes of later seats change, so all connections get a snapshot.
    """
    for index in seats:
        announce_player(context, index, "FORFEITED")
    _remove_seats(context, seats)


def _remove_seats(context: MatchContext, seats: list[int]) -> None:
    context.state.seats = [seat for index, seat in enumerate(context.state.seats) if index not in seats]
    send_snapshots(context)


def end_fill_time(context: MatchContext) -> None:
    """Start the game if enough players are connected, else end the match as ABANDONED."""
    if enough_players(context):
        start_first_game(context)
    else:
        end_match(context, EndReason.ABANDONED)


def start_if_complete(context: MatchContext) -> None:
    """Start the first game or a rematch if all its conditions are met."""
    if context.state.closed or context.playing:
        return
    if context.session is None and _is_complete(context):
        start_first_game(context)
    elif context.game_over and _all_ready(context):
        _start_rematch(context)


def _is_complete(context: MatchContext) -> bool:
    """Return whether all connected players are ready, or whether a public match is full."""
    return _all_ready(context) or (not context.options.private and _is_full(context))


def _is_full(context: MatchContext) -> bool:
    seats = context.state.seats
    return context.seated_users == context.max_users and len(context.connected_seats()) == len(seats)


def _all_ready(context: MatchContext) -> bool:
    return enough_players(context) and all(seat.ready for seat in context.connected_seats())


def enough_players(context: MatchContext) -> bool:
    """Return whether connected players and bots reach the minimum number of players."""
    connected = context.connected_seats()
    return bool(connected) and len(connected) + len(context.options.bots) >= context.options.min_players


def start_first_game(context: MatchContext) -> None:
    """Free the seats of disconnected players and start the first game."""
    disconnected = [index for index, seat in enumerate(context.state.seats) if seat.session_id is None]
    if disconnected:
        free_seats(context, disconnected)
    start_game(context)


def _start_rematch(context: MatchContext) -> None:
    """Start a game with the connected players and the bots.

    If the index of a seat changes, all connections get a snapshot.
    """
    previous_seats = context.state.seats
    context.state.seats = [seat for seat in previous_seats if seat.bot_level or seat.session_id]
    start_game(context)
    if len(context.state.seats) < len(previous_seats):
        send_snapshots(context)
