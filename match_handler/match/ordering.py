"""The order of inputs, bot claims and leaves within one loop, for both values of the option `claimOrder`.

An order returns one pending action after the other, each with the time at which it is handled. Bot claims
depend on the board, so each action is determined when it is requested.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import accumulate
from typing import Final, NamedTuple, Protocol

from match_handler.match import bots, seating
from match_handler.match.context import MatchContext
from match_handler.match.game import publish
from match_handler.match.inputs import Input, input_handler, sort_inputs
from match_handler.match.seating import Leave
from set_core.choices import ClaimOrder

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


class PendingAction(NamedTuple):
    """The handling of an input, a bot claim or a leave."""

    at_ms: int
    """Match-clock time at which it is handled, in milliseconds."""
    action: Action


class Order(Protocol):
    """The pending actions of one loop, in their order."""

    def pop_before(self, event: DueEvent | None) -> PendingAction | None:
        """Remove and return the next action that must be handled before a due event; None if there is none.

        Without an event, all actions are handled.
        """


def order_of(
    context: MatchContext, inputs: Sequence[Input], leaves: Sequence[Leave], skipped: Collection[int]
) -> Order:
    """Return the order of the pending actions of a loop.

    Args:
        context: the match.
        inputs: messages of players.
        leaves: connections that left.
        skipped: positions of inputs to reject as MALFORMED without reading them.
    """
    is_on_arrival = context.options.claim_order is ClaimOrder.ARRIVAL
    return (ArrivalOrder if is_on_arrival else TickOrder)(context, inputs, leaves, skipped)


class TickOrder:
    """Inputs by tick (D1), then bot claims by seat, then leaves, all at the time of the call.

    Actions that are earlier than a deadline are handled 1 ms before it, so that they count (D8). Before any
    other due event, no action is handled.
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

    def pop_before(self, event: DueEvent | None) -> PendingAction | None:
        """Return the next action; see `Order`."""
        call_ms = self._context.call.match_ms
        if event is None:
            action = self._pop_earlier(_NEVER_MS, bots_before_ms=call_ms + 1)
            return None if action is None else PendingAction(call_ms, action)
        action = self._pop_earlier(event.at_ms, bots_before_ms=event.at_ms) if event.is_deadline else None
        return None if action is None else PendingAction(event.at_ms - 1, action)

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
        return None if claim is None else partial(_handle_bot_claim, self._context, *claim)

    def _pop_leave(self, before_ms: int) -> Action | None:
        for index, leave in enumerate(self._leaves):
            if leave.left_ms < before_ms:
                del self._leaves[index]
                return partial(seating.handle_leave, self._context, leave)
        return None


class ArrivalOrder:
    """Inputs in the order of arrival, bot claims and leaves, each at its own time (D14).

    At equal times, due events are first, then inputs, bot claims and leaves. An input is never handled before
    an earlier one of the call, and no leave before the inputs of its connection. Times after the call are
    replaced by the time of the call.
    """

    def __init__(
        self,
        context: MatchContext,
        inputs: Sequence[Input],
        leaves: Sequence[Leave],
        skipped: Collection[int],
    ) -> None:
        self._context = context
        times_ms = self._clamped(accumulate((message.received_ms for message in inputs), max))
        self._inputs = deque(
            PendingAction(at_ms, input_handler(context, position, message, skip=position in skipped))
            for position, (at_ms, message) in enumerate(zip(times_ms, inputs, strict=True))
        )
        last_ms = {message.session_id: at_ms for at_ms, message in zip(times_ms, inputs, strict=True)}
        self._leaves = self._by_time(leaves, last_ms) if leaves else deque()

    def pop_before(self, event: DueEvent | None) -> PendingAction | None:
        """Return the next action; see `Order`."""
        first_ms = self._context.call.match_ms + 1 if event is None else event.at_ms
        first = None
        for source in (self._inputs, self._bot_claim(), self._leaves):
            if source and source[0].at_ms < first_ms:
                first, first_ms = source, source[0].at_ms
        return None if first is None else first.popleft()

    def _bot_claim(self) -> deque[PendingAction]:
        claim = bots.next_claim(self._context)
        if claim is None:
            return deque()
        due_ms, seat, card_ids = claim
        return deque([PendingAction(due_ms, partial(_handle_bot_claim, self._context, seat, card_ids))])

    def _by_time(self, leaves: Sequence[Leave], last_ms: dict[str, int]) -> deque[PendingAction]:
        """Return the leaves by time, each not before the last input of its connection."""
        earliest_ms = (max(leave.left_ms, last_ms.get(leave.presence.session_id, 0)) for leave in leaves)
        actions = (partial(seating.handle_leave, self._context, leave) for leave in leaves)
        timed = map(PendingAction, self._clamped(earliest_ms), actions)
        return deque(sorted(timed, key=lambda pending: pending.at_ms))

    def _clamped(self, times_ms: Iterable[int]) -> list[int]:
        return [min(at_ms, self._context.call.match_ms) for at_ms in times_ms]


def _handle_bot_claim(context: MatchContext, seat: int, card_ids: tuple[int, int, int]) -> None:
    assert context.session is not None
    context.state.seats[seat].bot_plan = None
    publish(context, context.session.claim(seat, card_ids, context.now_ms), f"bot-{seat}-{context.state.seq}")
