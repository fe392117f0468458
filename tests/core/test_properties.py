from dataclasses import fields
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from set_core import (
    ALL_CARDS,
    Board,
    Card,
    Deck,
    DotNetRandom,
    MatchOptions,
    OptionsError,
    PlayerState,
    SetValidator,
    any_set_among,
    checked_options,
    find_sets_among,
)
from set_core.results import rank
from tests.core import literal
from tests.strategies import anything, boards, boards_with_repeats, card_ids, cards, orders

VALIDATOR = SetValidator()
any_board = boards() | boards_with_repeats()


@given(st.lists(cards, min_size=3, max_size=3))
def test_validate_matches_the_literal_definition(triple: list[Card]) -> None:
    assert VALIDATOR.validate(triple) == literal.validate(triple)


@given(any_board)
def test_find_all_sets_matches_the_literal_definition(board: list[Card]) -> None:
    assert VALIDATOR.find_all_sets(board) == literal.find_all_sets(board)


@given(any_board)
def test_any_set_exists_matches_the_literal_definition(board: list[Card]) -> None:
    assert VALIDATOR.any_set_exists(board) == literal.any_set_exists(board)


@given(any_board)
def test_ids_and_cards_give_the_same_sets(board: list[Card]) -> None:
    ids = [card.id for card in board]
    by_cards = [tuple(card.id for card in found) for found in VALIDATOR.find_all_sets(board)]

    assert find_sets_among(ids) == find_sets_among(tuple(ids)) == by_cards
    assert any_set_among(ids) == bool(by_cards)


@given(st.integers(-(2**31), 2**31 - 1), st.lists(st.integers(1, 2**31 - 1), max_size=80))
def test_random_numbers_are_below_their_bound(seed: int, bounds: list[int]) -> None:
    random = DotNetRandom(seed)

    assert all(0 <= random.next_below(bound) < bound for bound in bounds)


@given(st.integers(-(2**31), 2**31 - 1).filter(bool))
def test_seed_always_gives_the_same_deck(seed: int) -> None:
    assert Deck(seed).order == Deck(seed).order
    assert sorted(Deck(seed).order) == list(range(81))


@given(orders(min_size=0), st.lists(st.integers(0, 12)))
def test_drawing_follows_the_order_and_stops_at_its_end(order: list[int], draws: list[int]) -> None:
    deck = Deck.from_order(order)
    drawn: list[int] = []
    for count in draws:
        if count <= deck.cards_remaining:
            drawn += [card.id for card in deck.draw(count)]

    assert drawn == order[: deck.drawn]
    assert deck.drawn + deck.cards_remaining == len(order)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 11), cards)))
def test_board_holds_placed_cards_that_were_not_removed(moves: list[tuple[bool, int, Card]]) -> None:
    board = Board()
    expected: dict[int, Card | None] = dict.fromkeys(range(12))
    for place, index, card in moves:
        if not place:
            board.remove_card(index)
            expected[index] = None
        elif expected[index] is None:
            board.place_card(index, card)
            expected[index] = card

    assert {slot.index: slot.card for slot in board.slots} == expected
    assert list(board.get_empty_slots()) == [index for index, card in expected.items() if card is None]


@given(st.dictionaries(st.sampled_from([part.name for part in fields(MatchOptions)]), anything))
def test_options_are_accepted_or_rejected_by_name(given_options: dict[str, Any]) -> None:
    outcome = options_or_error(given_options)
    if isinstance(outcome, OptionsError):
        assert str(outcome).startswith(outcome.field)
        assert "\n" not in str(outcome)
    else:
        assert 1 <= outcome.min_players <= outcome.max_players <= 8


def options_or_error(given_options: dict[str, Any]) -> MatchOptions | OptionsError:
    try:
        return checked_options(**given_options)
    except OptionsError as error:
        return error


players = st.builds(
    PlayerState,
    sets_collected=st.integers(0, 4),
    invalid_attempts=st.integers(0, 3),
    forfeited=st.booleans(),
)


@given(st.lists(players, min_size=1, max_size=8), st.booleans())
def test_ranks_follow_from_pairwise_comparison(states: list[PlayerState], tie_break: bool) -> None:  # noqa: FBT001 - drawn by Hypothesis
    def better(one: PlayerState, other: PlayerState) -> bool:
        if one.forfeited != other.forfeited:
            return other.forfeited
        if one.sets_collected != other.sets_collected:
            return one.sets_collected > other.sets_collected
        return tie_break and one.invalid_attempts < other.invalid_attempts

    standings = rank(states, tie_break_fewest_invalid=tie_break)

    assert sorted(line.seat for line in standings) == list(range(len(states)))
    for line in standings:
        assert line.rank == 1 + sum(better(other, states[line.seat]) for other in states)
    assert [line.rank for line in standings] == sorted(line.rank for line in standings)


@given(card_ids)
def test_card_round_trips_through_its_attributes(card_id: int) -> None:
    assert Card(card_id).attributes.id == card_id
    assert ALL_CARDS[card_id] is Card(card_id)
