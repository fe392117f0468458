import random
from datetime import date
from typing import Any

import pytest

from set_core import ALL_CARDS, Card, Deck, DeckExhaustedError, daily_seed
from tests.core.test_dotnet_random import VECTORS, by_seed


@by_seed
def test_a_seeded_deck_is_that_of_the_clr(vector: dict[str, Any]) -> None:
    # 0 is a seed for the CLR and no seed for a deck.
    if vector["seed"] == 0:
        assert Deck(0).order != tuple(vector["deck"])
    else:
        assert Deck(vector["seed"]).order == tuple(vector["deck"])


def test_the_vectors_cover_daily_negative_and_extreme_seeds() -> None:
    seeds = {vector["seed"] for vector in VECTORS}

    assert {0, -1, 20261129, -(2**31), 2**31 - 1} <= seeds


def test_a_deck_holds_every_card_once() -> None:
    assert sorted(Deck().order) == sorted(Deck(5).order) == list(range(81))


def test_no_seed_takes_the_systems_entropy_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random.SystemRandom, "shuffle", lambda _, ids: ids.reverse())

    assert Deck().order == tuple(range(80, -1, -1))


def test_no_seed_cannot_be_steered_by_the_global_generator() -> None:
    random.seed(1)
    first = Deck().order
    random.seed(1)

    assert Deck().order != first


def test_cards_are_drawn_from_the_top_in_order() -> None:
    deck = Deck(42)

    assert deck.draw(12) == tuple(ALL_CARDS[card] for card in deck.order[:12])
    assert deck.draw(3) == tuple(ALL_CARDS[card] for card in deck.order[12:15])
    assert (deck.drawn, deck.cards_remaining) == (15, 66)


def test_drawing_everything_leaves_nothing() -> None:
    deck = Deck(3)
    deck.draw(81)

    assert deck.cards_remaining == 0
    assert deck.draw(0) == ()


def test_drawing_more_than_remain_draws_nothing() -> None:
    """Fault F9: no card is made up out of an empty deck."""
    deck = Deck.from_order([4, 5])
    with pytest.raises(DeckExhaustedError, match="cannot draw 3 cards: only 2 remain"):
        deck.draw(3)

    assert deck.draw(2) == (Card(4), Card(5))


def test_a_negative_draw_is_refused() -> None:
    with pytest.raises(ValueError, match=r"cannot draw -1 cards: allowed are 0\.\.81"):
        Deck().draw(-1)


def test_from_order_resumes_in_the_middle() -> None:
    deck = Deck.from_order([7, 8, 9, 10], drawn=3)

    assert deck.order == (7, 8, 9, 10)
    assert deck.draw(1) == (Card(10),)


@pytest.mark.parametrize("ids", [[1, 1], [81], [-1], [True], [0.5], ["1"], [*range(81), 0]])
def test_an_order_that_is_no_deck_is_refused(ids: list[int]) -> None:
    with pytest.raises(ValueError, match=r"0\.\.80"):
        Deck.from_order(ids)


@pytest.mark.parametrize("drawn", [-1, 3])
def test_drawn_outside_the_deck_is_refused(drawn: int) -> None:
    with pytest.raises(ValueError, match=rf"drawn is {drawn}: allowed are 0\.\.2"):
        Deck.from_order([1, 2], drawn)


def test_a_seed_beyond_32_bits_is_refused() -> None:
    with pytest.raises(ValueError, match="32-bit"):
        Deck(2**31)


@pytest.mark.parametrize(
    ("day", "seed"),
    [
        (date(2026, 11, 29), 20261129),
        (date(2026, 1, 1), 20260101),
        (date(2028, 2, 29), 20280229),
        (date.min, 10101),
    ],
)
def test_daily_seed_is_the_date_in_digits(day: date, seed: int) -> None:
    assert daily_seed(day) == seed


def test_every_player_has_the_same_daily_deck_and_it_is_that_of_the_clr() -> None:
    """Fault F29; the vector for this date came from a CLR."""
    vector = next(vector for vector in VECTORS if vector["seed"] == 20261129)

    assert Deck(daily_seed(date(2026, 11, 29))).order == tuple(vector["deck"])


def test_the_latest_date_still_has_a_seed_of_32_bits() -> None:
    assert Deck(daily_seed(date.max)).cards_remaining == 81
