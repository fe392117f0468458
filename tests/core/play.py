"""Random whole games: every move is checked against the invariants of a game."""

import random
from collections.abc import Callable

from set_core import (
    ALL_CARDS,
    BoardExpanded,
    ClaimJudged,
    Event,
    GameEnded,
    GameSession,
    GameStarted,
    Phase,
    SessionState,
)
from set_core.validator import find_sets_among
from tests.core.games import frozen

Move = Callable[[GameSession, int], list[Event]]


class Play:
    """One game and a twin that is restored from its state before every move."""

    def __init__(self, session: GameSession, chance: random.Random) -> None:
        self.session = session
        self.chance = chance
        self.now_ms = 0
        self.claimed: list[int] = []
        self.events: list[Event] = []

    def run(self) -> list[Event]:
        """Play until the game ends and return all events."""
        self.step(lambda session, now_ms: session.start(now_ms))
        while self.session.phase is not Phase.MATCH_END:
            self.pass_time()
            self.step(self.choose())
        return self.events

    def pass_time(self) -> None:
        due = self.session.deadline_ms
        steps = [0, 1, self.chance.randrange(1_000)] + ([] if due is None else [due - self.now_ms] * 2)
        self.now_ms += self.chance.choice(steps)

    def choose(self) -> Move:
        seat = self.chance.randrange(len(self.session.players))
        roll = self.chance.random()
        found = find_sets_among(self.session.board.card_ids)
        if found and roll < 0.6:
            ids: tuple[int, ...] = self.chance.choice(found)
        elif roll < 0.65:
            ids = tuple(self.chance.choices(range(-1, 82), k=3))
        elif roll < 0.9 and len(self.session.board.card_ids) >= 3:
            ids = tuple(self.chance.sample(self.session.board.card_ids, 3))
        else:
            return lambda session, now_ms: session.advance(now_ms)
        return lambda session, now_ms: session.claim(seat, ids, now_ms)

    def step(self, move: Move) -> None:
        before = frozen(self.session)
        twin = GameSession.restore(self.session.options, frozen(self.session))
        wake_ms = self.session.wake_ms

        events = move(self.session, self.now_ms)

        assert move(twin, self.now_ms) == events
        assert twin.state == self.session.state
        self.events += events
        self.claimed += [
            card
            for event in events
            if isinstance(event, ClaimJudged) and event.is_valid
            for card in event.card_ids
        ]
        check(self.session, self.claimed)
        check_step(before, self.session, events, wake_ms)


def check(session: GameSession, claimed: list[int]) -> None:
    """Check the invariants that hold after every move."""
    on_board = session.board.card_ids
    undealt = list(session.deck.order[session.deck.drawn :])
    assert sorted([*on_board, *undealt, *claimed]) == sorted(session.deck.order)
    assert len(claimed) == 3 * sum(player.sets_collected for player in session.players)
    assert len(session.board.slots) in {12, 15, 18, 21}
    assert all(player.score >= 0 for player in session.players)
    assert session.deadline_ms is None or session.deadline_ms > session.state.seen_ms
    assert session.phase is not Phase.BOARD_IDLE or find_sets_among(on_board)
    if len(session.deck.order) == 81:
        assert_sums_to_zero([*on_board, *undealt])


def assert_sums_to_zero(ids: list[int]) -> None:
    """Check that each attribute of the remaining cards sums to a multiple of 3, as it does for every Set."""
    shown = [ALL_CARDS[card].attributes for card in ids]
    for name in ("number", "shape", "color", "shading"):
        assert sum(getattr(attributes, name) for attributes in shown) % 3 == 0


def check_step(before: SessionState, session: GameSession, events: list[Event], wake_ms: int | None) -> None:
    """Check the invariants that relate two consecutive moves."""
    taken = {
        card
        for event in events
        if isinstance(event, ClaimJudged) and event.is_valid
        for card in event.card_ids
    }
    after = session.state.slots
    for index, card in enumerate(before.slots):
        assert card in {-1, after[index]} or card in taken, f"card {card} left slot {index}"
    dealt = (GameStarted, ClaimJudged, BoardExpanded)
    changes = sum(bool(event.slots) for event in events if isinstance(event, dealt))
    assert session.board_version == before.board_version + changes
    if before.is_running and not any(isinstance(event, ClaimJudged | GameEnded) for event in events):
        woke = wake_ms is not None and wake_ms <= session.state.seen_ms
        assert woke == any(hasattr(event, "locked_until_ms") for event in events)
