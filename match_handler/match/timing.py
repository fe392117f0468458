"""The order of due events, inputs, bot claims and leaves within a call.

A due event runs at its own time. Inputs and leaves are handled at the time of the call. If a deadline lies
before that time, inputs and leaves that were received before the deadline are handled 1 ms before it, so that
they count (D8).
"""

from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from match_handler.match import admission, bots, seating, starting
from match_handler.match.context import DAY_MS, MatchContext
from match_handler.match.game import REMATCH_WINDOW_MS, end_match, publish
from match_handler.match.inputs import Input, input_handler, sort_inputs
from match_handler.match.seating import Leave
from set_core.results import EndReason

LAST_MS: Final = 24 * DAY_MS
"""When a match is terminated. Clients use int32 for times, whose maximum is 24.8 days (E58)."""

_NEVER_MS: Final = 2**63
"""Later than all times in calls."""

Action = Callable[[], None]


class DueEvent(NamedTuple):
    """An event that the match clock causes, without an input."""

    at_ms: int
    """Match-clock time of the event, in milliseconds."""
    action: Action
    is_deadline: bool = False
    """Whether the event ends a game: inputs that were received before it must be handled first (D8)."""


class Arrivals:
    """The pending actions of one loop: inputs in their order (D1), then bot claims by seat, then leaves.

    Args:
        context: the match.
        inputs: messages of players.
        leaves: connections that left.
        skipped: positions of inputs to reject as MALFORMED without reading them.
    """

    def __init__(
        self,
        context: MatchContext,
        inputs: Sequence[Input],
        leaves: Sequence[Leave],
        skipped: Collection[int],
    ) -> None:
        self._context = context
        self._inputs = sort_inputs(inputs)
        self._leaves = list(leaves)
        self._skipped = skipped

    def pop_before(self, event: DueEvent | None) -> Action | None:
        """Remove and return the next action that must run before a due event; None if there is none.

        - Without an event, all actions run.
        - Before a deadline, the actions run whose input, bot claim or leave is earlier than the deadline.
        - Before any other event, no action runs.
        """
        if event is None:
            return self._pop_earlier(_NEVER_MS, bots_before_ms=self._context.call.match_ms + 1)
        return self._pop_earlier(event.at_ms, bots_before_ms=event.at_ms) if event.is_deadline else None

    def _pop_earlier(self, before_ms: int, *, bots_before_ms: int) -> Action | None:
        return self._pop_input(before_ms) or self._bot_claim(bots_before_ms) or self._pop_leave(before_ms)

    def _pop_input(self, before_ms: int) -> Action | None:
        for index, (position, message) in enumerate(self._inputs):
            if message.received_ms < before_ms:
                del self._inputs[index]
                return input_handler(self._context, position, message, skip=position in self._skipped)
        return None

    def _bot_claim(self, before_ms: int) -> Action | None:
        claim = bots.claim_due(self._context, before_ms)
        return None if claim is None else lambda: _handle_bot_claim(self._context, *claim)

    def _pop_leave(self, before_ms: int) -> Action | None:
        for index, leave in enumerate(self._leaves):
            if leave.left_ms < before_ms:
                del self._leaves[index]
                return lambda: seating.handle_leave(self._context, leave)
        return None


def _handle_bot_claim(context: MatchContext, seat: int, card_ids: tuple[int, int, int]) -> None:
    assert context.session is not None
    context.state.seats[seat].bot_plan = None
    publish(context, context.session.claim(seat, card_ids, context.now_ms), f"bot-{seat}-{context.state.seq}")


def run(context: MatchContext, arrivals: Arrivals) -> None:
    """Run all pending actions and due events up to the time of the call."""
    until_ms = context.call.match_ms
    while True:
        event = _next_due_event(context, until_ms)
        action = arrivals.pop_before(event)
        if action is not None:
            _advance_clock(context, until_ms if event is None else event.at_ms - 1)
            action()
        elif event is not None:
            _run_event(context, event)
        else:
            break
    _advance_clock(context, until_ms)


def advance_until_deadline(context: MatchContext) -> None:
    """Run due events up to the time of the call, but stop the match clock 1 ms before a deadline.

    With the next tick, Nakama can still deliver inputs that were received before the deadline (E57).
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
    event = min(_due_events(context), key=lambda event: event.at_ms)
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


def _close(context: MatchContext) -> None:
    context.state.closed = True
