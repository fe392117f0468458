"""Expansions of the board, and the end of the game when no expansion is possible."""

import random

import pytest

from set_core import (
    AnimationMs,
    BoardExpanded,
    CardSlot,
    ClaimJudged,
    EndReason,
    GameEnded,
    GameSession,
    GameStarted,
    Phase,
)
from set_core.board import EMPTY
from tests.core.boards import deck_order, has_set, set_free
from tests.core.games import (
    CAP,
    GROWS_ONCE,
    a_set,
    ended,
    injected,
    judged,
    new_game,
    only,
    running,
    stuck_after_claim,
)

NO_ANIMATION = AnimationMs(0, 0, 0, 0)


def slots_and_ids(session: GameSession) -> list[tuple[int, int]]:
    return [(slot.index, slot.card.id) for slot in session.board.slots if slot.card]


def test_opening_board_without_a_set_expands_at_the_start() -> None:
    session = new_game(GROWS_ONCE)
    started, expanded = session.start(40)

    assert isinstance(started, GameStarted)
    assert [slot.card and slot.card.id for slot in started.slots] == list(CAP[:12])
    assert (started.board_version, started.cards_remaining, started.phase) == (1, 69, Phase.BOARD_IDLE)
    assert isinstance(expanded, BoardExpanded)
    assert (expanded.board_version, expanded.cards_remaining, expanded.phase) == (2, 66, Phase.EXPAND_BOARD)
    assert expanded.locked_until_ms == 190


@pytest.mark.fault("F12")
def test_new_cards_fill_the_last_slots_in_draw_order() -> None:
    """Fault F12."""
    session = new_game(CAP[:12] + tuple(card for card in range(81) if card not in CAP[:12]))
    event = only(session.start(0), BoardExpanded)

    drawn = session.deck.order[12:15]
    assert [(slot.index, slot.card and slot.card.id) for slot in event.slots] == list(
        zip((12, 13, 14), drawn, strict=True)
    )
    assert slots_and_ids(session)[:12] == list(enumerate(CAP[:12]))


def test_board_grows_12_15_18_21_until_it_has_a_set() -> None:
    session = new_game(deck_order(*CAP))
    sizes = {0: len(CAP[:12])}
    session.start(0)
    for now_ms in (0, 149, 150, 299, 300, 449, 450):
        session.advance(now_ms)
        sizes[now_ms] = len(session.board.slots)

    assert sizes == {0: 15, 149: 15, 150: 18, 299: 18, 300: 21, 449: 21, 450: 21}
    assert session.phase is Phase.BOARD_IDLE
    assert has_set(session.board.card_ids)


def test_late_call_applies_expansions_at_their_own_times() -> None:
    session = running(deck_order(*CAP))
    events = session.advance(10_000)

    assert [type(event) for event in events] == [BoardExpanded, BoardExpanded]
    assert [event.locked_until_ms for event in events if isinstance(event, BoardExpanded)] == [300, 450]
    assert [event.phase for event in events if isinstance(event, BoardExpanded)] == [Phase.EXPAND_BOARD] * 2


def test_claim_that_leaves_no_set_expands_when_its_lock_ends() -> None:
    """Common mistake in the rule texts: no search for a Set after the refill."""
    session = stuck_after_claim()
    events = session.claim(0, (0, 1, 2), 1_000)

    assert [type(event) for event in events] == [ClaimJudged]
    assert session.wake_ms == session.locked_until_ms == 1_700
    assert session.advance(1_699) == []
    event = only(session.advance(1_700), BoardExpanded)
    assert event.locked_until_ms == 1_850
    assert event.board_version == 3


def test_any_later_call_applies_the_expansion() -> None:
    for late in ("claim", "forfeit", "end"):
        session = stuck_after_claim()
        session.claim(0, (0, 1, 2), 1_000)
        calls = {
            "claim": lambda s=session: s.claim(1, (1, 1, 1), 9_000),
            "forfeit": lambda s=session: s.forfeit([1], 9_000),
            "end": lambda s=session: s.end(EndReason.TERMINATED, 9_000),
        }
        first = calls[late]()[0]
        assert isinstance(first, BoardExpanded)
        assert first.locked_until_ms == 1_850


def test_without_animations_the_board_expands_in_the_same_call() -> None:
    session = running(stuck_after_claim().deck.order, animation_ms=NO_ANIMATION)
    events = session.claim(0, (0, 1, 2), 1_000)

    assert [type(event) for event in events][:2] == [ClaimJudged, BoardExpanded]
    assert session.phase is Phase.BOARD_IDLE
    assert has_set(session.board.card_ids)
    assert session.wake_ms is None


@pytest.mark.fault("F10")
def test_board_of_15_keeps_15_slots_after_a_claim() -> None:
    """Decision D9 and fault F10."""
    session = running(GROWS_ONCE)
    assert judged(session.claim(0, a_set(session), 150)).is_valid

    assert len(session.board.card_ids) == 15


@pytest.mark.fault("F10", "F11")
def test_claim_on_an_expanded_board_moves_no_other_card() -> None:
    """Fault F11: no card disappears because the size is reset to twelve."""
    session = running(GROWS_ONCE)
    before, claimed = slots_and_ids(session), a_set(session)
    session.claim(0, claimed, 150)

    kept = [slot for slot in before if slot[1] not in claimed]
    assert set(kept) <= set(slots_and_ids(session))
    assert len(kept) == 12


@pytest.mark.parametrize("left", [0, 1, 2])
@pytest.mark.fault("F9")
def test_fewer_than_three_cards_are_never_dealt(left: int) -> None:
    """Common mistake and edge case "Deck has 1 or 2 cards": the game ends with these cards undealt."""
    session = new_game(CAP[: 12 + left])
    end = ended(session.start(0))

    assert end.results.reason is EndReason.DECK_EXHAUSTED
    assert (session.deck.cards_remaining, len(session.board.slots)) == (left, 12)
    assert session.phase is Phase.MATCH_END


def test_expansion_with_the_last_three_cards_ends_the_game() -> None:
    """Edge case: deal all three, search again, end, without waiting for the animation."""
    session = new_game(CAP[:15])
    events = session.start(0)

    assert [type(event) for event in events] == [GameStarted, BoardExpanded, GameEnded]
    assert (session.deck.cards_remaining, len(session.board.card_ids)) == (0, 15)


def test_expansion_with_the_last_three_cards_finds_a_set() -> None:
    session = running(GROWS_ONCE[:15])

    assert (session.deck.cards_remaining, session.phase) == (0, Phase.EXPAND_BOARD)
    assert judged(session.claim(0, a_set(session), 150)).is_valid


@pytest.mark.fault("F8")
def test_empty_deck_and_no_set_ends_in_the_same_claim() -> None:
    """Fault F8: the last cards are dealt before the search, so the game ends immediately with 12 cards."""
    free = next(
        ids for ids in (set_free(random.Random(seed), 12) for seed in range(99)) if not {0, 1, 2} & set(ids)
    )
    session = running([0, 1, 2, *free[:9], *free[9:]])
    events = session.claim(0, (0, 1, 2), 5)

    assert [type(event) for event in events] == [ClaimJudged, GameEnded]
    assert len(session.board.card_ids) == 12
    assert ended(events).results.reason is EndReason.DECK_EXHAUSTED


@pytest.mark.fault("F2")
def test_last_two_sets_in_one_tick_end_the_game_once() -> None:
    """Fault F2: two players claim the last two Sets in one tick; the board is empty then."""
    session = running(list(range(12)))
    for place, claimed in enumerate(((0, 1, 2), (3, 4, 5))):
        session.claim(0, claimed, place * 1_000)
    events = [*session.claim(0, (6, 7, 8), 5_000), *session.claim(1, (9, 10, 11), 5_000)]

    assert [type(event) for event in events] == [ClaimJudged, ClaimJudged, GameEnded]
    assert session.board.card_ids == []
    assert [player.sets_collected for player in session.players] == [3, 1]
    assert ended(events).results.winner_seat == 0


def test_21_slots_and_no_set_ends_with_cards_in_the_deck() -> None:
    """Decision D10: this needs a deck with a repeated card; two equal cards make no Set with a third."""
    rest = [card for card in range(81) if card not in CAP]
    session = injected([*CAP, CAP[0], *rest])
    session.start(0)
    end = ended(session.advance(10_000))

    assert end.results.reason is EndReason.NO_SET_ON_FULL_BOARD
    assert end.results.duration_ms == 300
    assert (len(session.board.slots), session.deck.cards_remaining) == (21, len(rest))


def test_21_slots_and_empty_deck_is_deck_exhausted() -> None:
    session = injected([*CAP, CAP[0]])
    session.start(0)

    assert ended(session.advance(10_000)).results.reason is EndReason.DECK_EXHAUSTED


def test_expansion_leaves_old_empty_slots_empty() -> None:
    """Board and dealing, "Expansion"; as in D10, no real game has both an empty slot and undealt cards."""
    session = injected(deck_order(*CAP))
    session.start(0)
    session.state.slots[3] = EMPTY
    event = only(session.advance(150), BoardExpanded)

    assert [slot.index for slot in event.slots] == [15, 16, 17]
    assert session.board.get_empty_slots() == (3,)


def test_no_expansion_after_the_end() -> None:
    session = stuck_after_claim()
    session.claim(0, (0, 1, 2), 0)
    session.end(EndReason.TERMINATED, 1)

    assert (session.wake_ms, session.deadline_ms) == (None, None)
    assert session.advance(10_000) == []
    assert session.board.slots[11:] == (CardSlot(11, session.board.get_card(11)),)
