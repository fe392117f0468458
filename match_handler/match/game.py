"""One game of a match: start, broadcasts of its events, end and effects."""

from typing import Final

from match_handler.match import views
from match_handler.match.bots import refresh_plans
from match_handler.match.context import MatchContext
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
"""How long a match stays open for a rematch after a game has ended (DESIGN section 7)."""

_MAX_SEED: Final = 2**31 - 1


def announce_player(context: MatchContext, index: int, change: str) -> None:
    """Broadcast PLAYER_CHANGED for a seat.

    Args:
        context: the match.
        index: the seat.
        change: a value of the enum `PlayerChange` without its prefix.
    """
    seq = context.next_seq()
    player = views.player_view(context, index)
    context.out.to_all(OpCode.PLAYER_CHANGED, PlayerChanged(seq, player, f"PLAYER_CHANGE_{change}"))


def send_snapshot(context: MatchContext, session_id: str) -> None:
    """Send a snapshot to one connection."""
    seats = context.seats_of_session(session_id)
    context.out.to_one(session_id, OpCode.SNAPSHOT, views.snapshot_view(context, seats))


def send_snapshots(context: MatchContext) -> None:
    """Send a snapshot to every connection."""
    for connection in context.state.connections:
        send_snapshot(context, connection.session_id)


def _deck(context: MatchContext, options: MatchOptions) -> Deck:
    if options.mode is Mode.DAILY_CHALLENGE:
        return Deck(daily_seed(context.date))
    if options.seed:
        # Game 1 uses the seed, each rematch the next number; the result stays in 1.._MAX_SEED.
        return Deck((options.seed + context.state.game - 2) % _MAX_SEED + 1)
    return Deck()


def _seat_bots(context: MatchContext) -> None:
    if any(seat.bot_level for seat in context.state.seats):
        return
    for number, level in enumerate(context.options.bots, start=1):
        context.state.seats.append(Seat("", f"Bot {number}", bot_level=level.name))


def start_game(context: MatchContext) -> None:
    """Start the first game or a rematch with all seats.

    With a seed in the options, each game of the match has its own deck.
    """
    state = context.state
    _seat_bots(context)
    state.game += 1
    context.out.new_record = True
    for seat in state.seats:
        seat.ready, seat.claims_judged, seat.bot_plan = False, 0, None
    bots = frozenset(index for index, seat in enumerate(state.seats) if seat.bot_level)
    context.session = GameSession(context.options, _deck(context, context.options), len(state.seats), bots)
    publish(context, context.session.start(context.now_ms))


def publish(context: MatchContext, events: list[Event], claim_id: str = "") -> None:
    """Broadcast the events of the game, and let bots plan for the new board.

    Args:
        context: the match.
        events: the events, in their order.
        claim_id: the id of the claim that caused the events; empty for other causes.
    """
    for event in events:
        if isinstance(event, ClaimJudged):
            _publish_claim(context, event, claim_id)
        elif isinstance(event, BoardExpanded):
            context.out.to_all(OpCode.BOARD_EXPANDED, views.expanded_view(context, event))
        elif isinstance(event, GameStarted):
            context.out.to_all(OpCode.MATCH_STARTED, views.started_view(context, event))
        elif isinstance(event, PlayerForfeited):
            announce_player(context, event.seat, "FORFEITED")
        elif isinstance(event, GameEnded):
            _publish_end(context)
    refresh_plans(context)


def _publish_claim(context: MatchContext, event: ClaimJudged, claim_id: str) -> None:
    write_line(context, Line(context.now_ms, "claim", seat=event.seat, card_ids=list(event.card_ids)))
    context.state.seats[event.seat].claims_judged += 1
    context.out.outcomes.append("valid" if event.reason is None else event.reason.name.lower())
    context.out.to_all(OpCode.CLAIM_RESULT, views.claim_view(context, event, claim_id))


def _publish_end(context: MatchContext) -> None:
    session = context.session
    assert session is not None
    assert session.results is not None
    for seat in context.state.seats:
        seat.ready, seat.reconnect_deadline_ms, seat.bot_plan = False, None, None
        seat.was_disconnected = seat.is_disconnected
    context.out.to_all(OpCode.MATCH_ENDED, views.ended_view(context, session.results))
    context.out.ended = session.results.reason.name.lower()
    context.out.effects += effects_of_end(context, session)
    close_if_empty(context)


def forfeit(context: MatchContext, seats: list[int]) -> None:
    """Let players forfeit the running game."""
    session = context.session
    assert session is not None
    for index in seats:
        context.state.seats[index].reconnect_deadline_ms = None
    write_line(context, Line(context.now_ms, "forfeit", seats=seats))
    publish(context, session.forfeit(seats, context.now_ms))


def end_match(context: MatchContext, reason: EndReason) -> None:
    """End the running game, if there is one, and close the match."""
    if context.session is not None and context.playing:
        write_line(context, Line(context.now_ms, "end", reason=reason.name))
        publish(context, context.session.end(reason, context.now_ms))
    elif context.session is None:
        context.out.to_all(OpCode.MATCH_ENDED, _ended_before_start(context, reason))
    context.state.closed = True


def _ended_before_start(context: MatchContext, reason: EndReason) -> MatchEnded:
    return MatchEnded(
        seq=context.next_seq(),
        reason=views.END_REASONS[reason],
        draw=False,
        standings=[],
        duration_ms=0,
        deck=[],
        record_key="",
    )


def close_if_empty(context: MatchContext) -> None:
    """Close a match after its game if no player is connected, because no rematch can follow."""
    if context.game_over and not context.connected_seats():
        context.state.closed = True
