"""The order in which things happen in a call: one list of due events, inputs, bot claims and leaves.

An event that is due happens at its own time. What players send is handled at the time of the call; but if a
deadline lies before that, what was received before the deadline is handled just before it and counts (D8).
"""

from collections.abc import Callable, Collection, Sequence
from typing import Final, NamedTuple

from match_handler.match import admission, bots, seating, starting
from match_handler.match.context import DAY_MS, Table
from match_handler.match.game import end_match, publish
from match_handler.match.inputs import Input, in_order, input_handler
from match_handler.match.seating import Leave
from set_core.results import EndReason

LAST_MS: Final = 24 * DAY_MS
"""When a match that still goes on is ended: clients read times as int32, which hold 24.8 days (E58)."""

_NEVER_MS: Final = 2**63
"""Later than any time that a call can carry."""

Action = Callable[[], None]


class Due(NamedTuple):
    """An event that happens by itself."""

    at_ms: int
    happen: Action
    is_deadline: bool = False
    """Whether it ends a game: what was received before it counts although it is handled later (D8)."""


class Arrivals:
    """What one loop handles: inputs by tick, user id and arrival (D1), then bot claims by seat, then leaves.

    Args:
        table: the match.
        inputs: what players sent.
        leaves: the connections that left.
        skipped: positions of inputs that are answered MALFORMED unseen.
    """

    def __init__(
        self, table: Table, inputs: Sequence[Input], leaves: Sequence[Leave], skipped: Collection[int]
    ) -> None:
        self._table = table
        self._inputs = in_order(inputs)
        self._leaves = list(leaves)
        self._skipped = skipped

    def take(self, due: Due | None) -> Action | None:
        """The next arrival that comes before a due event.

        Without such an event every arrival does; before a deadline those that were received earlier; before
        any other event none.
        """
        if due is None:
            return self._take_before(_NEVER_MS, bots_before_ms=self._table.call.match_ms + 1)
        return self._take_before(due.at_ms, bots_before_ms=due.at_ms) if due.is_deadline else None

    def _take_before(self, before_ms: int, *, bots_before_ms: int) -> Action | None:
        return (
            self._input_before(before_ms) or self._bot_before(bots_before_ms) or self._leave_before(before_ms)
        )

    def _input_before(self, before_ms: int) -> Action | None:
        for index, (position, message) in enumerate(self._inputs):
            if message.received_ms < before_ms:
                del self._inputs[index]
                return input_handler(self._table, position, message, skip=position in self._skipped)
        return None

    def _bot_before(self, before_ms: int) -> Action | None:
        claim = bots.claim_due(self._table, before_ms)
        return None if claim is None else lambda: _claim_of_bot(self._table, *claim)

    def _leave_before(self, before_ms: int) -> Action | None:
        for index, leave in enumerate(self._leaves):
            if leave.left_ms < before_ms:
                del self._leaves[index]
                return lambda: seating.leave(self._table, leave)
        return None


def _claim_of_bot(table: Table, seat: int, card_ids: tuple[int, int, int]) -> None:
    assert table.session is not None
    table.state.seats[seat].bot_plan = None
    publish(table, table.session.claim(seat, card_ids, table.now_ms), f"bot-{seat}-{table.state.seq}")


def run(table: Table, arrivals: Arrivals) -> None:
    """Let all arrivals and all due events happen, up to the time of the call."""
    until_ms = table.call.match_ms
    while True:
        due = _next_due(table, until_ms)
        arrival = arrivals.take(due)
        if arrival is not None:
            _pass_time(table, until_ms if due is None else due.at_ms - 1)
            arrival()
        elif due is not None:
            _happen(table, due)
        else:
            break
    _pass_time(table, until_ms)


def pass_until_deadline(table: Table) -> None:
    """Let due events happen, but stop before a deadline.

    What was received before the deadline may still wait for the next tick, and counts (E57).
    """
    until_ms = table.call.match_ms
    while (due := _next_due(table, until_ms)) is not None:
        if due.is_deadline:
            until_ms = due.at_ms - 1
            break
        _happen(table, due)
    _pass_time(table, until_ms)


def pass_all(table: Table) -> None:
    """Let all due events happen, because no input can follow any more."""
    while (due := _next_due(table, table.call.match_ms)) is not None:
        _happen(table, due)
    _pass_time(table, table.call.match_ms)


def cut_off(table: Table) -> None:
    """End the match as TERMINATED, unless it is over."""
    if not table.state.closed:
        end_match(table, EndReason.TERMINATED)


def wake_at_ms(table: Table) -> int | None:
    """When something happens by itself next; None in a closed match."""
    if table.state.closed:
        return None
    times = [due.at_ms for due in _dues(table)]
    bot_ms = bots.next_claim_ms(table)
    return min(times) if bot_ms is None else min(*times, bot_ms)


def _happen(table: Table, due: Due) -> None:
    table.now_ms = max(table.now_ms, due.at_ms)
    due.happen()


def _pass_time(table: Table, until_ms: int) -> None:
    """Move the match to a time by which nothing more is due; only phases pass."""
    table.now_ms = max(table.now_ms, until_ms)
    session = table.session
    if session is not None and session.state.seen_ms < table.now_ms:
        session.advance(table.now_ms)


def _next_due(table: Table, until_ms: int) -> Due | None:
    """The first event that is due by a time; of several at one time, the first in the list."""
    if table.state.closed:
        return None
    due = min(_dues(table), key=lambda due: due.at_ms)
    return due if due.at_ms <= until_ms else None


def _dues(table: Table) -> list[Due]:
    state, session = table.state, table.session
    dues: list[Due] = []
    if session is not None and (wake_ms := session.wake_ms) is not None:
        dues.append(Due(wake_ms, lambda: _advance_game(table), wake_ms == session.closing_ms))
    if (window_end_ms := seating.next_window_end(table)) is not None:
        ends_game = seating.leaves_too_few(table, window_end_ms)
        dues.append(Due(window_end_ms, lambda: seating.expire_windows(table), is_deadline=ends_game))
    if state.reservations:
        end_ms = min(reservation.until_ms for reservation in state.reservations)
        dues.append(Due(end_ms, lambda: admission.expire_reservations(table)))
    if session is None:
        dues.append(Due(state.fill_deadline_ms, lambda: starting.fill_time_over(table)))
    if state.closes_at_ms is not None and table.game_over:
        dues.append(Due(state.closes_at_ms, lambda: _close(table)))
    if state.idle_ms:
        idle_ms = state.last_input_ms + state.idle_ms
        dues.append(Due(idle_ms, lambda: end_match(table, EndReason.ABANDONED)))
    dues.append(Due(LAST_MS, lambda: cut_off(table)))
    return dues


def _advance_game(table: Table) -> None:
    assert table.session is not None
    publish(table, table.session.advance(table.now_ms))


def _close(table: Table) -> None:
    table.state.closed = True
