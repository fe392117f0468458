"""Responses to SYNC, with a limit for the snapshots of one connection (decision E86)."""

from typing import Final

from match_handler.match.context import MatchContext
from match_handler.match.game import send_snapshot
from match_handler.match.state import Connection
from set_core.choices import ClaimOrder

INTERVAL_MS: Final = 50
"""Shortest time between two responses to SYNC for one connection, with ARRIVAL. With TICK, a tick has it."""


def request(context: MatchContext, connection: Connection) -> None:
    """Answer a SYNC: now, or at the end of the interval since the last response.

    One snapshot answers all SYNC messages of a connection in one call (TICK) or in one interval (ARRIVAL).
    """
    if context.options.claim_order is ClaimOrder.ARRIVAL:
        if context.now_ms < connection.next_snapshot_ms:
            connection.is_snapshot_requested = True
        else:
            _send(context, connection)
    elif connection.session_id not in context.out.synced:
        context.out.synced.add(connection.session_id)
        send_snapshot(context, connection.session_id)


def next_ms(context: MatchContext) -> int | None:
    """Return the match-clock time of the next requested snapshot; None if no snapshot is requested."""
    times_ms = [c.next_snapshot_ms for c in context.state.connections if c.is_snapshot_requested]
    return min(times_ms, default=None)


def send_requested(context: MatchContext) -> None:
    """Send the requested snapshots whose interval has ended."""
    for connection in context.state.connections:
        if connection.is_snapshot_requested and connection.next_snapshot_ms <= context.now_ms:
            _send(context, connection)


def _send(context: MatchContext, connection: Connection) -> None:
    connection.next_snapshot_ms = context.now_ms + INTERVAL_MS
    connection.is_snapshot_requested = False
    send_snapshot(context, connection.session_id)
