"""Deadlines that end a game: a claim received before one counts, a later one does not (decision D8)."""

from collections.abc import Sequence

from match_handler.state import Seat
from match_handler.table import Table
from set_core.state import PlayerState


def deadline_by(table: Table, now_ms: int) -> int | None:
    """The deadline that ends the game unless somebody does something, if it has come; else None."""
    session = table.session
    if session is None or not session.state.is_running:
        return None
    closing_ms, desertion_ms = session.closing_ms, _desertion_ms(table, session.players, now_ms)
    if closing_ms is None or closing_ms > now_ms:
        return desertion_ms
    return closing_ms if desertion_ms is None else min(closing_ms, desertion_ms)


def _desertion_ms(table: Table, players: Sequence[PlayerState], now_ms: int) -> int | None:
    """When so many reconnect windows have ended that too few are left to play; None if that has not come."""
    seats = table.state.seats
    windows = [seat.reconnect_deadline_ms for seat in seats if seat.reconnect_deadline_ms is not None]
    due = sorted({window for window in windows if window <= now_ms}) if windows else ()
    return next((end for end in due if _too_few_stay(seats, players, end)), None)


def _too_few_stay(seats: Sequence[Seat], players: Sequence[PlayerState], end_ms: int) -> bool:
    """Whether only bots, or one player of several, are left when the windows up to this one have ended."""
    staying = [
        player
        for seat, player in zip(seats, players, strict=True)
        if not player.forfeited and (seat.reconnect_deadline_ms or end_ms + 1) > end_ms
    ]
    return all(player.bot for player in staying) or len(staying) == 1 < len(seats)
