"""Due events: changes of a match at a known time, and their order with inputs, bot claims and leaves.

A due event runs at its own time. `match_handler.match.ordering` defines when the other actions are handled.
"""

from operator import attrgetter
from typing import Final

from match_handler.match import admission, bots, seating, snapshots, starting
from match_handler.match.context import DAY_MS, MatchContext
from match_handler.match.game import REMATCH_WINDOW_MS, end_match, publish
from match_handler.match.ordering import DueEvent, Order
from set_core.choices import ClaimOrder
from set_core.results import EndReason

LAST_MS: Final = 24 * DAY_MS
"""When a match is terminated. Clients use int32 for times, whose maximum is 24.8 days (E58)."""

_AT_MS: Final = attrgetter("at_ms")


def run(context: MatchContext, order: Order) -> None:
    """Run all pending actions and due events up to the time of the call."""
    until_ms = context.call.match_ms
    while True:
        event = _next_due_event(context, until_ms)
        pending = order.pop_before(event)
        if pending is not None:
            _advance_clock(context, pending.at_ms)
            pending.action()
        elif event is not None:
            _run_event(context, event)
        else:
            break
    _advance_clock(context, until_ms)


def advance_until_deadline(context: MatchContext) -> None:
    """Run due events up to the time of the call, but stop the match clock 1 ms before a deadline.

    The next loop can still contain inputs that were received before the deadline (E57).
    """
    until_ms = context.call.match_ms
    while (event := _next_due_event(context, until_ms)) is not None:
        if event.is_deadline:
            until_ms = event.at_ms - 1
            break
        _run_event(context, event)
    _advance_clock(context, until_ms)


def advance_all(context: MatchContext) -> None:
    """Run all due events up to the time of the call, deadlines included, because no input can follow."""
    while (event := _next_due_event(context, context.call.match_ms)) is not None:
        _run_event(context, event)
    _advance_clock(context, context.call.match_ms)


def terminate(context: MatchContext) -> None:
    """End the match as TERMINATED, unless it is closed."""
    if not context.state.closed:
        end_match(context, EndReason.TERMINATED)


def wake_at_ms(context: MatchContext) -> int | None:
    """Return the match-clock time of the next due event or bot claim; None for a closed match."""
    if context.state.closed:
        return None
    times_ms = [event.at_ms for event in _due_events(context)]
    bot_ms = bots.next_claim_ms(context)
    return min(times_ms) if bot_ms is None else min(*times_ms, bot_ms)


def _run_event(context: MatchContext, event: DueEvent) -> None:
    context.now_ms = max(context.now_ms, event.at_ms)
    event.action()


def _advance_clock(context: MatchContext, until_ms: int) -> None:
    """Advance the match clock to a time up to which no event is due; only the phase can change."""
    context.now_ms = max(context.now_ms, until_ms)
    session = context.session
    if session is not None and session.state.seen_ms < context.now_ms:
        session.advance(context.now_ms)


def _next_due_event(context: MatchContext, until_ms: int) -> DueEvent | None:
    """Return the first event up to a time; of several events at the same time, the first in the list."""
    if context.state.closed:
        return None
    event = min(_due_events(context), key=_AT_MS)
    return event if event.at_ms <= until_ms else None


def _due_events(context: MatchContext) -> list[DueEvent]:
    state, session = context.state, context.session
    events: list[DueEvent] = []
    if session is not None and (wake_ms := session.wake_ms) is not None:
        events.append(DueEvent(wake_ms, lambda: _advance_game(context), wake_ms == session.closing_ms))
    if (window_end_ms := seating.next_window_end_ms(context)) is not None:
        ends_game = seating.expiry_ends_game(context, window_end_ms)
        events.append(DueEvent(window_end_ms, lambda: seating.expire_windows(context), is_deadline=ends_game))
    if state.reservations:
        end_ms = min(reservation.until_ms for reservation in state.reservations)
        events.append(DueEvent(end_ms, lambda: admission.expire_reservations(context)))
    is_on_arrival = context.options.claim_order is ClaimOrder.ARRIVAL
    if is_on_arrival and (snapshot_ms := snapshots.next_ms(context)) is not None:
        events.append(DueEvent(snapshot_ms, lambda: _send_snapshots(context)))
    if session is None:
        events.append(DueEvent(state.fill_deadline_ms, lambda: starting.end_fill_time(context)))
    if session is not None and context.game_over:
        closes_at_ms = session.state.ended_ms + REMATCH_WINDOW_MS
        events.append(DueEvent(closes_at_ms, lambda: _close(context)))
    if state.idle_ms:
        idle_ms = state.last_input_ms + state.idle_ms
        events.append(DueEvent(idle_ms, lambda: end_match(context, EndReason.ABANDONED)))
    events.append(DueEvent(LAST_MS, lambda: terminate(context)))
    return events


def _advance_game(context: MatchContext) -> None:
    assert context.session is not None
    publish(context, context.session.advance(context.now_ms))


def _send_snapshots(context: MatchContext) -> None:
    _advance_clock(context, context.now_ms)  # the phase in the snapshots is that of the current time
    snapshots.send_requested(context)


def _close(context: MatchContext) -> None:
    context.state.closed = True
