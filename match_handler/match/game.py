"""One game at the table: its start, what its events tell the players, its end and results."""

from typing import Final

from match_handler.match import views
from match_handler.match.bots import refresh_plans
from match_handler.match.context import Table
from match_handler.match.record import Line, write_line
from match_handler.match.results import effects_of_end
from match_handler.match.state import Seat
from match_handler.protocol.payloads import MatchEnded, OpCode, PlayerChanged
from set_core.deck import Deck, daily_seed
from set_core.events import BoardExpanded, ClaimJudged, Event, GameEnded, GameStarted, PlayerForfeited
from set_core.options import MatchOptions, Mode
from set_core.results import EndReason
from set_core.session import GameSession

REMATCH_WINDOW_MS: Final = 30_000
"""How long an ended match stays (DESIGN section 7)."""

MAX_SEED: Final = 2**31 - 1


def announce_player(table: Table, index: int, change: str) -> None:
    """Tells everybody what happened to a player."""
    seq = table.next_seq()
    player = views.player_view(table, index)
    table.out.to_all(OpCode.PLAYER_CHANGED, PlayerChanged(seq, player, f"PLAYER_CHANGE_{change}"))


def send_snapshot(table: Table, session_id: str) -> None:
    """Send one connection everything that it may know."""
    seats = table.seats_of_session(session_id)
    table.out.to_one(session_id, OpCode.SNAPSHOT, views.snapshot_view(table, seats))


def send_snapshots(table: Table) -> None:
    """Send each connection everything that it may know."""
    for connection in table.state.connections:
        send_snapshot(table, connection.session_id)


def _deck(table: Table, options: MatchOptions) -> Deck:
    if options.mode is Mode.DAILY_CHALLENGE:
        return Deck(daily_seed(table.date))
    if options.seed:
        return Deck((options.seed + table.state.game - 2) % MAX_SEED + 1)
    return Deck()


def _seat_bots(table: Table) -> None:
    if any(seat.bot_level for seat in table.state.seats):
        return
    for number, level in enumerate(table.options.bots, start=1):
        table.state.seats.append(Seat("", f"Bot {number}", bot_level=level.name))


def start_game(table: Table) -> None:
    """Deals the first or next game to those at the table; each game of a seeded match has its own deck."""
    state = table.state
    _seat_bots(table)
    state.game += 1
    table.out.new_record = True
    for seat in state.seats:
        seat.ready, seat.claims_judged, seat.bot_plan = False, 0, None
    state.closes_at_ms = None
    bots = frozenset(index for index, seat in enumerate(state.seats) if seat.bot_level)
    table.session = GameSession(table.options, _deck(table, table.options), len(state.seats), bots)
    publish(table, table.session.start(table.now_ms))


def publish(table: Table, events: list[Event], claim_id: str = "") -> None:
    """Tells the players what happened in the game."""
    for event in events:
        if isinstance(event, ClaimJudged):
            _publish_claim(table, event, claim_id)
        elif isinstance(event, BoardExpanded):
            table.out.to_all(OpCode.BOARD_EXPANDED, views.expanded_view(table, event))
        elif isinstance(event, GameStarted):
            table.out.to_all(OpCode.MATCH_STARTED, views.started_view(table, event))
        elif isinstance(event, PlayerForfeited):
            announce_player(table, event.seat, "FORFEITED")
        elif isinstance(event, GameEnded):
            _publish_end(table)
    refresh_plans(table)


def _publish_claim(table: Table, event: ClaimJudged, claim_id: str) -> None:
    write_line(table, Line(table.now_ms, "claim", seat=event.seat, card_ids=list(event.card_ids)))
    table.state.seats[event.seat].claims_judged += 1
    table.out.outcomes.append("valid" if event.reason is None else event.reason.name.lower())
    table.out.to_all(OpCode.CLAIM_RESULT, views.claim_view(table, event, claim_id))


def _publish_end(table: Table) -> None:
    session = table.session
    assert session is not None
    assert session.results is not None
    for seat in table.state.seats:
        seat.ready, seat.reconnect_deadline_ms, seat.bot_plan = False, None, None
        seat.was_away = views.is_away(seat)
    table.out.to_all(OpCode.MATCH_ENDED, views.ended_view(table, session.results))
    table.out.ended = session.results.reason.name.lower()
    table.out.effects += effects_of_end(table, session)
    table.state.closes_at_ms = table.now_ms + REMATCH_WINDOW_MS
    close_if_deserted(table)


def forfeit(table: Table, seats: list[int]) -> None:
    """Takes players out of the running game for good."""
    session = table.session
    assert session is not None
    for index in seats:
        table.state.seats[index].reconnect_deadline_ms = None
    write_line(table, Line(table.now_ms, "forfeit", seats=seats))
    publish(table, session.forfeit(seats, table.now_ms))


def end_match(table: Table, reason: EndReason) -> None:
    """Ends whatever is going on and closes the match."""
    if table.session is not None and table.playing:
        write_line(table, Line(table.now_ms, "end", reason=reason.name))
        publish(table, table.session.end(reason, table.now_ms))
    elif table.session is None:
        table.out.to_all(OpCode.MATCH_ENDED, _unplayed_end(table, reason))
    table.state.closed = True


def _unplayed_end(table: Table, reason: EndReason) -> MatchEnded:
    return MatchEnded(
        seq=table.next_seq(),
        reason=views.END_REASONS[reason],
        draw=False,
        standings=[],
        duration_ms=0,
        deck=[],
        record_key="",
    )


def close_if_deserted(table: Table) -> None:
    """Closes an ended match that no player is left in: nobody can ask for a rematch."""
    if table.game_over and not table.connected_humans():
        table.state.closed = True
