"""State machine test: arbitrary calls in any order on any deck keep the invariants of a game."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from set_core import ClaimJudged, ClaimRejected, Deck, EndReason, Event, GameSession, MatchOptions, Phase
from tests.core import play
from tests.core.games import frozen, sets_in
from tests.strategies import online_options, orders


class GameMachine(RuleBasedStateMachine):
    """A game whose calls may repeat a time or go back in time."""

    @initialize(options=online_options(), order=orders(), seats=st.integers(2, 4))
    def deal(self, options: MatchOptions, order: list[int], seats: int) -> None:
        self.session = GameSession(options, Deck.from_order(order), seats, frozenset({1}))
        self.claimed: list[int] = []
        self.now_ms = 0
        self.keep(self.session.start(0))

    @rule(step=st.sampled_from([-500, 0, 1, 150, 399, 700, 5_000]))
    def wait(self, step: int) -> None:
        self.now_ms = max(0, self.now_ms + step)
        self.keep(self.session.advance(self.now_ms))

    @rule()
    def wait_until_due(self) -> None:
        due = self.session.deadline_ms
        if due is not None:
            before, seen = frozen(self.session), self.session.state.seen_ms
            assert self.session.advance(due - 1) == []
            before.seen_ms = max(seen, due - 1)
            assert self.session.state == before
            self.now_ms = due
            self.keep(self.session.advance(due))

    @rule(seat=st.integers(0, 1), place=st.integers(0, 99))
    def claim_a_set(self, seat: int, place: int) -> None:
        found = sets_in(self.session.board.card_ids)
        if found:
            events = self.session.claim(seat, found[place % len(found)], self.now_ms)
            self.keep(events)

    @rule(seat=st.integers(0, 1), ids=st.lists(st.integers(-1, 81), max_size=4))
    def claim_anything(self, seat: int, ids: list[int]) -> None:
        twin = GameSession.restore(self.session.options, frozen(self.session))
        events = self.session.claim(seat, ids, self.now_ms)
        if isinstance(events[-1], ClaimRejected):
            assert twin.advance(self.now_ms) == events[:-1]
            assert twin.state == self.session.state
        self.keep(events)

    @rule(seat=st.integers(0, 1))
    def forfeit(self, seat: int) -> None:
        self.keep(self.session.forfeit([seat], self.now_ms))

    @rule(reason=st.sampled_from(EndReason))
    def end(self, reason: EndReason) -> None:
        self.keep(self.session.end(reason, self.now_ms))
        assert self.session.phase is Phase.MATCH_END

    def keep(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, ClaimJudged) and event.is_valid:
                self.claimed += event.card_ids

    @invariant()
    def holds(self) -> None:
        if hasattr(self, "session"):
            play.check(self.session, self.claimed)
            assert (self.session.results is not None) == (self.session.phase is Phase.MATCH_END)
            assert self.session.wake_ms is None or self.session.wake_ms >= (self.session.deadline_ms or 0)


GameMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=30)
TestGameMachine = GameMachine.TestCase
