"""Hypothesis strategies for the game: cards, boards, decks, options and moves."""

from typing import Any

from hypothesis import strategies as st

from set_core import ALL_CARDS, AnimationMs, Card, ClaimOrder, MatchOptions, Penalty, checked_options

card_ids = st.integers(0, 80)
cards = st.sampled_from(ALL_CARDS)


def boards(max_size: int = 21) -> st.SearchStrategy[list[Card]]:
    """Distinct cards."""
    return st.lists(cards, max_size=max_size, unique=True)


def boards_with_repeats(max_size: int = 12) -> st.SearchStrategy[list[Card]]:
    """Cards of which several are likely to be the same."""
    return st.sets(cards, min_size=1, max_size=6).flatmap(
        lambda few: st.lists(st.sampled_from(sorted(few, key=hash)), max_size=max_size)
    )


def orders(min_size: int = 12) -> st.SearchStrategy[list[int]]:
    """Decks: complete ones, and shorter ones."""
    return st.permutations(range(81)).flatmap(
        lambda order: st.integers(min_size, 81).map(lambda size: order[:size])
    )


animations = st.builds(
    AnimationMs,
    valid_set=st.sampled_from([0, 1, 400]),
    refill=st.sampled_from([0, 1, 300]),
    invalid_set=st.sampled_from([0, 1, 400]),
    expand_board=st.sampled_from([0, 1, 150]),
)


@st.composite
def online_options(draw: st.DrawFn) -> MatchOptions:
    """Options that differ in everything that touches the game itself."""
    limit = draw(st.sampled_from([0, 0, 1, 30, 600]))
    penalties = list(Penalty) if limit else [Penalty.NONE, Penalty.POINT]
    return checked_options(
        max_players=8,
        time_limit_seconds=limit,
        penalty=draw(st.sampled_from(penalties)),
        time_penalty_seconds=draw(st.integers(1, 20)),
        tie_break_fewest_invalid=draw(st.booleans()),
        penalize_stale_claims=draw(st.booleans()),
        animation_ms=draw(animations),
        claim_order=draw(st.sampled_from(ClaimOrder)),
    )


anything: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 100),
    st.just(1.5),
    st.text("aZ \n\0é", max_size=40),
    st.lists(st.integers(), max_size=3),
)
