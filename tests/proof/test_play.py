"""Thousands of whole games: invariants, and frequencies of events.

The expected frequencies are those of the rule texts, by which a board of 15 that loses a Set stays at 15.
Another program measured them in 220,977 games.
"""

import math
import random
from collections import Counter
from dataclasses import dataclass, field

import pytest

from set_core import Deck, EndReason, GameSession, MatchOptions, find_sets_among
from tests.proof.ledger import Tries
from tests.proof.model import attributes

GAMES = 4_000
SIGMAS = 5

SET_FREE_DEAL = 0.03230198
"""Exact: 2,284,535,476,080 boards of C(81, 12)."""
BIGGEST_BOARD = {12: 0.314, 15: 0.670, 18: 0.016}
CARDS_LEFT = {0: 0.0115, 6: 0.455, 9: 0.452, 12: 0.0809}
SETS_IN_PLAY = {12: 2.517, 15: 5.026, 18: 8.946}
SETS_CLAIMED = {22, 23, 24, 25, 27}
"""26 Sets would leave three cards, which the attribute sums exclude."""


@dataclass
class Tally:
    """Counts over some games."""

    steps: int = 0
    deals_without: int = 0
    biggest: Counter[int] = field(default_factory=Counter)
    left: Counter[int] = field(default_factory=Counter)
    claimed: Counter[int] = field(default_factory=Counter)
    boards: Counter[int] = field(default_factory=Counter)
    sets: Counter[int] = field(default_factory=Counter)


def _check(session: GameSession) -> None:
    """Check that no card is lost and that each attribute of board and deck sums to a multiple of 3."""
    held = session.board.card_ids + list(session.deck.order[session.deck.drawn :])
    taken = 3 * session.players[0].sets_collected
    assert len(set(held)) == len(held) == 81 - taken
    assert all(sum(attributes(card)[place] for card in held) % 3 == 0 for place in range(4))


def _play(seed: int, tally: Tally) -> None:
    chance, now_ms = random.Random(seed), 0
    session = GameSession(MatchOptions(), Deck(seed), 1)
    session.start(now_ms)
    biggest = 12
    tally.deals_without += len(session.board.slots) > 12
    while session.results is None:
        _check(session)
        found = find_sets_among(session.board.card_ids)
        tally.steps += 1
        biggest = max(biggest, len(session.board.slots))
        if session.deck.cards_remaining:
            tally.boards[len(session.board.slots)] += 1
            tally.sets[len(session.board.slots)] += len(found)
        now_ms += 1_000
        session.claim(0, chance.choice(found), now_ms) if found else session.advance(now_ms)
    _check(session)
    assert session.results.reason is EndReason.DECK_EXHAUSTED
    tally.biggest[biggest] += 1
    tally.left[len(session.board.card_ids)] += 1
    tally.claimed[session.players[0].sets_collected] += 1


def _near(observed: int, total: int, share: float) -> bool:
    """Check that a share is within five standard errors of the expected one."""
    return abs(observed / total - share) <= SIGMAS * math.sqrt(share * (1 - share) / total)


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.claim(
    "no card is lost, board and deck sum to 0 mod 3, and frequencies equal the known ones",
    "complete games with random Sets, checked after each step",
)
def test_frequencies_in_thousands_of_games(tried: Tries) -> None:
    tally = Tally()
    for seed in range(1, GAMES + 1):
        _play(seed, tally)

    tried(tally.steps)
    assert set(tally.claimed) <= SETS_CLAIMED
    assert set(tally.left) <= {0, 6, 9, 12, 15, 18}
    assert _near(tally.deals_without, GAMES, SET_FREE_DEAL)
    assert all(_near(tally.biggest[size], GAMES, share) for size, share in BIGGEST_BOARD.items())
    assert all(_near(tally.left[cards], GAMES, share) for cards, share in CARDS_LEFT.items())
    for size, mean in SETS_IN_PLAY.items():
        assert tally.sets[size] / tally.boards[size] == pytest.approx(mean, rel=0.05)
