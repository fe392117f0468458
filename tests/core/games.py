"""Helpers that create games and select cards to claim."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final, TypeVar

from set_core import (
    ALL_CARDS,
    ClaimJudged,
    ClaimRejected,
    Deck,
    Event,
    GameEnded,
    GameSession,
    PlayerState,
    RejectionReason,
    SessionState,
    checked_options,
)
from tests.core import literal
from tests.core.boards import deck_order, set_free, third

CAP: Final = tuple(set_free(random.Random(20), 20))
"""Twenty cards without a Set: as the top of a deck they make the board grow to 21 slots."""

GROWS_ONCE: Final = tuple(deck_order(*CAP[:12], third(CAP[0], CAP[1])))
"""A deck whose first twelve cards hold no Set and whose first fifteen do."""

_Kind = TypeVar("_Kind")


def new_game(
    order: Sequence[int] | None = None,
    seats: int = 2,
    bot_seats: frozenset[int] = frozenset(),
    **given: Any,
) -> GameSession:
    deck = Deck(1) if order is None else Deck.from_order(order)
    return GameSession(checked_options(**given), deck, seats, bot_seats)


def running(
    order: Sequence[int] | None = None,
    seats: int = 2,
    bot_seats: frozenset[int] = frozenset(),
    **given: Any,
) -> GameSession:
    """Return a game that was started at 0 ms."""
    session = new_game(order, seats, bot_seats, **given)
    session.start(0)
    return session


def injected(order: Sequence[int], **given: Any) -> GameSession:
    """Return a game with an arbitrary card order, which a valid deck cannot produce."""
    state = SessionState(bytes(order), 0, [-1] * 12, [PlayerState(), PlayerState()])
    return GameSession.restore(checked_options(**given), state)


def stuck_after_claim() -> GameSession:
    """Return a started game whose only Set is cards 0, 1, 2 in slots 0, 1, 2; no Set is left after it."""
    rest = next(nine for nine in (_nine(seed) for seed in range(1_000)) if nine)
    return running(deck_order(0, 1, 2, *rest))


def _nine(seed: int) -> list[int]:
    free = set_free(random.Random(seed), 15)
    nine, refill = free[:9], free[9:12]
    if {0, 1, 2} & set(free) or len(sets_in([0, 1, 2, *nine])) != 1:
        return []
    return [*nine, *refill, *free[12:]]


def sets_in(ids: Sequence[int]) -> list[tuple[int, ...]]:
    return [
        tuple(card.id for card in found) for found in literal.find_all_sets([ALL_CARDS[card] for card in ids])
    ]


def a_set(session: GameSession) -> tuple[int, ...]:
    return sets_in(session.board.card_ids)[0]


def no_set(session: GameSession) -> tuple[int, ...]:
    valid = set(sets_in(session.board.card_ids))
    return next(triple for triple in combinations(session.board.card_ids, 3) if triple not in valid)


def undealt(session: GameSession) -> tuple[int, int, int]:
    a, b, c = session.deck.order[-3:]
    return a, b, c


def only(events: Sequence[Event], kind: type[_Kind]) -> _Kind:
    """Return the only event of this kind."""
    found = [event for event in events if isinstance(event, kind)]
    assert len(found) == 1, events
    return found[0]


def judged(events: Sequence[Event]) -> ClaimJudged:
    return only(events, ClaimJudged)


def rejected(events: Sequence[Event]) -> RejectionReason:
    return only(events, ClaimRejected).reason


def ended(events: Sequence[Event]) -> GameEnded:
    return only(events, GameEnded)


def frozen(session: GameSession) -> SessionState:
    """Return a copy of the state, for a later comparison or to continue from."""
    state = session.state
    return replace(state, slots=[*state.slots], players=[replace(player) for player in state.players])
