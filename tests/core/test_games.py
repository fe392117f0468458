"""Random whole games: `tests.core.play` checks every move, these tests check complete games."""

import random
from collections import Counter
from itertools import pairwise

import pytest

from set_core import (
    AnimationMs,
    BoardExpanded,
    ClaimJudged,
    ClaimOrder,
    ClaimRejected,
    Deck,
    EndReason,
    GameEnded,
    GameSession,
    Penalty,
    any_set_among,
    checked_options,
)
from tests.core.play import Play

GAMES = 200
OPTIONS = [
    checked_options(),
    checked_options(penalty=Penalty.POINT, animation_ms=AnimationMs(0, 0, 0, 0)),
    checked_options(penalty=Penalty.POINT, penalize_stale_claims=False, tie_break_fewest_invalid=True),
    checked_options(penalty=Penalty.TIME, time_limit_seconds=600, time_penalty_seconds=1),
    checked_options(penalty=Penalty.POINT, claim_order=ClaimOrder.ARRIVAL),
]


@pytest.fixture(scope="module")
def games() -> list[Play]:
    played = []
    for seed in range(1, GAMES + 1):
        options = OPTIONS[seed % len(OPTIONS)]
        game = Play(GameSession(options, Deck(seed), seats=1 + seed % 4), random.Random(seed))
        game.run()
        played.append(game)
    return played


def results(game: Play) -> EndReason:
    outcome = game.session.results
    assert outcome is not None
    return outcome.reason


def natural(games: list[Play]) -> list[Play]:
    return [game for game in games if results(game) is EndReason.DECK_EXHAUSTED]


def test_every_game_ends_once_with_its_last_event(games: list[Play]) -> None:
    """Faults F2, F5 and F8: every game ends without a command from outside."""
    for game in games:
        events = [event for event in game.events if not isinstance(event, ClaimRejected)]
        assert [type(event) for event in events].count(GameEnded) == 1
        assert events[-1] == GameEnded(game.session.results)  # type: ignore[arg-type]


def test_number_of_cards_left_at_a_natural_end(games: list[Play]) -> None:
    left = Counter(len(game.session.board.card_ids) for game in natural(games))

    assert set(left) <= {0, 6, 9, 12, 15, 18}
    assert len(left) >= 3
    assert left[6] + left[9] > left.total() / 2


def test_natural_end_has_an_empty_deck_and_no_set(games: list[Play]) -> None:
    assert len(natural(games)) > GAMES / 2
    for game in natural(games):
        assert game.session.deck.cards_remaining == 0
        assert not any_set_among(game.session.board.card_ids)


def test_no_game_ends_on_26_sets(games: list[Play]) -> None:
    sets = {sum(player.sets_collected for player in game.session.players) for game in natural(games)}

    assert sets <= {21, 22, 23, 24, 25, 27}


def test_boards_exceed_12_but_never_18_slots(games: list[Play]) -> None:
    sizes = Counter(len(game.session.board.slots) for game in games)

    assert sizes[15] > 0
    assert set(sizes) <= {12, 15, 18}


def test_board_version_increases_by_one_per_change(games: list[Play]) -> None:
    for game in games:
        versions = [
            event.board_version
            for event in game.events
            if isinstance(event, BoardExpanded) or (isinstance(event, ClaimJudged) and event.is_valid)
        ]
        assert all(later == earlier + 1 for earlier, later in pairwise(versions))


def test_scores_are_the_sum_of_their_changes(games: list[Play]) -> None:
    for game in games:
        claims = [event for event in game.events if isinstance(event, ClaimJudged)]
        for seat, player in enumerate(game.session.players):
            assert player.score == sum(event.score_delta for event in claims if event.seat == seat)


def test_games_contain_every_kind_of_claim(games: list[Play]) -> None:
    reasons = {event.reason for game in games for event in game.events if isinstance(event, ClaimJudged)}

    assert reasons == {None, "NOT_A_SET", "STALE"}


def test_no_event_shows_an_undealt_card(games: list[Play]) -> None:
    """Fault F24: all cards in an event have been drawn by then."""
    for game in games:
        order = game.session.deck.order
        for event in game.events:
            shown = [slot.card.id for slot in getattr(event, "slots", ()) if slot.card]
            drawn = order[: len(order) - getattr(event, "cards_remaining", 0)]
            assert set(shown) <= set(drawn)


def test_no_slot_is_refilled_from_an_empty_deck(games: list[Play]) -> None:
    """Fault F9: after the last deal the slots of claimed cards stay empty."""
    late = [
        event
        for game in games
        for event in game.events
        if isinstance(event, ClaimJudged) and event.is_valid and event.cards_remaining == 0
    ]
    empty = [all(slot.card is None for slot in event.slots) for event in late]
    full = [all(slot.card is not None for slot in event.slots) for event in late]

    assert all(one != other for one, other in zip(empty, full, strict=True))
    assert sum(empty) > sum(full) > 0


def test_repeated_game_gives_identical_events() -> None:
    """Fault F13: the same calls give the same events and state."""
    one, other = (Play(GameSession(OPTIONS[0], Deck(5), 3), random.Random(9)) for _ in range(2))

    assert one.run() == other.run()
    assert one.session.state == other.session.state
