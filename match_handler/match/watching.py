"""How many may watch, and on how many connections one user may be there (decision E59).

Without bounds a crowd would make a match slow for those who play it.
"""

from typing import Final

from match_handler.match.context import Table

MAX_SPECTATORS: Final = 100
"""Connections without a seat, with those about to come: each is in the state that every call carries."""

MAX_CONNECTIONS_OF_A_USER: Final = 4
"""Devices and tabs of one user; of more, those that came first go."""


def is_crowded(table: Table) -> bool:
    """Whether nobody else may watch."""
    playing = {seat.session_id for seat in table.state.seats}
    watching = sum(connection.session_id not in playing for connection in table.state.connections)
    return watching + sum(r.watching for r in table.state.reservations) >= MAX_SPECTATORS


def surplus_of(table: Table, user_id: str) -> list[str]:
    """The connections of a user that are too many: the oldest."""
    theirs = [c.session_id for c in table.state.connections if c.user_id == user_id]
    return theirs[:-MAX_CONNECTIONS_OF_A_USER]
