from typing import Any

import pytest

from set_core import (
    AnimationMs,
    Attribute,
    CardSlot,
    ClaimRejected,
    EndReason,
    InvalidReason,
    Penalty,
    Phase,
    RejectionReason,
)
from tests.core.games import a_set, frozen, judged, new_game, no_set, rejected, running, sets_in, undealt


def test_valid_claim_scores_one_and_refills_slots_ascending() -> None:
    session = running()
    claimed = a_set(session)[::-1]
    places = sorted(session.board.slots_of(claimed) or ())
    top = session.deck.order[12:15]

    event = judged(session.claim(1, claimed, 5_000))

    assert (event.seat, event.card_ids, event.is_valid, event.score_delta) == (1, claimed, True, 1)
    assert (event.reason, event.mixed_attribute, event.message) == (None, None, "")
    assert session.board.slots_of(top) == places
    assert event.slots == tuple(session.board.slots[place] for place in places)
    assert (event.board_version, event.cards_remaining) == (2, 66)
    assert (event.phase, event.locked_until_ms) == (Phase.VALID_SET_ANIM, 5_700)
    assert [(p.score, p.sets_collected, p.invalid_attempts) for p in session.players] == [
        (0, 0, 0),
        (1, 1, 0),
    ]


@pytest.mark.fault("F11")
def test_other_cards_keep_their_slots() -> None:
    """Common mistake in the rule texts: the refill rearranges slots."""
    session = running()
    before, claimed = session.board.slots, a_set(session)
    session.claim(0, claimed, 0)

    kept = [slot for slot in before if slot.card is not None and slot.card.id not in claimed]
    assert all(session.board.slots[slot.index] == slot for slot in kept)
    assert len(kept) == 9


@pytest.mark.parametrize(("deck_size", "left"), [(12, 0), (13, 1), (14, 2)])
@pytest.mark.fault("F9")
def test_slots_stay_empty_when_fewer_than_three_cards_remain(deck_size: int, left: int) -> None:
    """Decision D10 for one or two cards, which a deck of 81 never leaves."""
    session = running(list(range(deck_size)))
    event = judged(session.claim(0, (3, 4, 5), 0))

    assert event.slots == (CardSlot(3, None), CardSlot(4, None), CardSlot(5, None))
    assert (event.cards_remaining, session.board.get_empty_slots()) == (left, (3, 4, 5))
    assert session.phase is Phase.VALID_SET_ANIM


def test_last_three_cards_are_dealt() -> None:
    session = running(list(range(15)))
    event = judged(session.claim(0, (0, 1, 2), 0))

    assert [slot.card and slot.card.id for slot in event.slots] == [12, 13, 14]
    assert event.cards_remaining == 0


def test_empty_slots_are_not_cards() -> None:
    session = running(list(range(12)))
    session.claim(0, (0, 1, 2), 0)

    assert session.board.card_ids == list(range(3, 12))
    assert judged(session.claim(0, (0, 1, 2), 1_000)).reason is InvalidReason.STALE


@pytest.mark.fault("F3")
def test_invalid_claim_changes_neither_board_nor_deck() -> None:
    """Fault F3: three cards of the deck that are not a Set never score."""
    session = running()
    board, wrong = session.board.slots, no_set(session)

    event = judged(session.claim(0, wrong, 0))

    assert (event.is_valid, event.reason, event.slots) == (False, InvalidReason.NOT_A_SET, ())
    assert (session.board.slots, session.deck.drawn, session.board_version) == (board, 12, 1)
    assert (session.players[0].score, session.players[0].sets_collected) == (0, 0)
    assert session.players[0].invalid_attempts == 1


@pytest.mark.parametrize(
    ("wrong", "attribute", "message"),
    [
        ((0, 27, 28), Attribute.NUMBER, "Number is mixed"),
        ((0, 1, 9), Attribute.SHAPE, "Shape is mixed"),
        ((0, 1, 3), Attribute.COLOR, "Color is mixed"),
        ((0, 3, 7), Attribute.SHADING, "Shading is mixed"),
    ],
)
@pytest.mark.fault("F27")
def test_message_names_the_mixed_attribute(wrong: Any, attribute: Attribute, message: str) -> None:
    """Fault F27: the attribute is also a separate value, without color words."""
    session = running([0, 27, 28, 1, 9, 3, 7, 40, 50, 60, 70, 80])
    event = judged(session.claim(0, wrong, 0))

    assert (event.mixed_attribute, event.message) == (attribute, message)


@pytest.mark.fault("F3", "F24")
def test_claim_on_undealt_card_is_stale_without_details() -> None:
    session = running()
    hidden = judged(session.claim(0, undealt(session), 0))
    a, b, _ = a_set(session)
    partly = judged(session.claim(1, (a, b, session.deck.order[-1]), 0))

    for event in (hidden, partly):
        assert event.reason is InvalidReason.STALE
        assert (event.message, event.mixed_attribute) == ("Cards no longer on the board", None)


def test_claim_on_taken_cards_is_stale_and_counts() -> None:
    session = running(penalty=Penalty.POINT)
    claimed = a_set(session)
    session.claim(0, claimed, 0)
    session.claim(0, a_set(session), 1_000)

    event = judged(session.claim(0, claimed, 2_000))

    assert (event.reason, event.score_delta) == (InvalidReason.STALE, -1)
    assert (session.players[0].score, session.players[0].invalid_attempts) == (1, 1)


def test_free_stale_claims_cost_nothing_but_lock() -> None:
    session = running(penalty=Penalty.POINT, penalize_stale_claims=False)
    claimed = a_set(session)
    session.claim(0, claimed, 0)

    event = judged(session.claim(0, claimed, 1_000))

    assert (event.reason, event.score_delta) == (InvalidReason.STALE, 0)
    assert (session.players[0].score, session.players[0].invalid_attempts) == (1, 0)
    assert session.players[0].locked_until_ms == 1_400
    assert judged(session.claim(0, no_set(session), 1_400)).score_delta == -1


@pytest.mark.fault("F23")
def test_score_never_falls_below_zero() -> None:
    """Fault F23: invalid, valid, invalid, invalid gives 0, 1, 0, 0."""
    session = running(penalty=Penalty.POINT)
    scores, deltas = [], []
    for step, pick in enumerate((no_set, a_set, no_set, no_set)):
        deltas.append(judged(session.claim(0, pick(session), step * 1_000)).score_delta)
        scores.append(session.players[0].score)

    assert scores == [0, 1, 0, 0]
    assert deltas == [0, 1, -1, 0]
    assert session.players[0].sets_collected == 1


def test_penalty_none_only_counts_invalid_claims() -> None:
    session = running()
    session.claim(0, a_set(session), 0)

    assert judged(session.claim(0, no_set(session), 1_000)).score_delta == 0
    assert (session.players[0].score, session.players[0].invalid_attempts) == (1, 1)


def test_time_penalty_takes_seconds_and_no_points() -> None:
    session = running(penalty=Penalty.TIME, time_limit_seconds=60, time_penalty_seconds=7)
    event = judged(session.claim(0, no_set(session), 10_000))

    assert event.score_delta == 0
    assert session.players[0].penalty_ms == 7_000
    assert session.player_time_remaining_ms(0, 10_000) == 43_000
    assert session.player_time_remaining_ms(1, 10_000) == session.time_remaining_ms(10_000) == 50_000


MALFORMED: list[Any] = [
    (),
    (1, 2),
    (1, 2, 3, 4),
    (1, 1, 1),
    (1, 2, 2),
    (-1, 0, 1),
    (79, 80, 81),
    (True, 2, 3),
    (1.0, 2, 3),
    ("1", 2, 3),
    (None, 2, 3),
    ([1], 2, 3),
    (10**30, 2, 3),
]


@pytest.mark.parametrize("card_ids", MALFORMED)
@pytest.mark.fault("F4")
def test_anything_but_three_distinct_ids_is_malformed(card_ids: Any) -> None:
    """Decision D3 and fault F4: the validator accepts three equal cards, a claim does not."""
    session = running()
    before = frozen(session)

    assert session.claim(0, card_ids, 0) == [ClaimRejected(0, RejectionReason.MALFORMED)]
    assert session.state == before


def test_claim_before_the_start_is_rejected() -> None:
    session = new_game()
    before = frozen(session)

    assert rejected(session.claim(0, (1, 1), 0)) is RejectionReason.NOT_STARTED
    assert session.state == before


def test_claim_after_the_end_is_rejected() -> None:
    session = running()
    session.forfeit([1], 10)
    before = frozen(session)

    for card_ids in (a_set(session), (1, 1, 1)):
        assert rejected(session.claim(0, card_ids, 10)) is RejectionReason.MATCH_OVER
    assert rejected(session.claim(1, a_set(session), 10)) is RejectionReason.MATCH_OVER
    assert session.state == before


def test_game_ended_before_its_start_is_over() -> None:
    session = new_game()
    session.end(EndReason.ABANDONED, 5)

    assert rejected(session.claim(0, (1, 2, 3), 5)) is RejectionReason.MATCH_OVER


def test_rejection_reasons_are_checked_in_order() -> None:
    session = running(seats=3)
    session.forfeit([2], 0)
    session.claim(0, a_set(session), 0)

    assert rejected(session.claim(2, (1, 1, 1), 1)) is RejectionReason.FORFEITED
    assert rejected(session.claim(1, (1, 1, 1), 1)) is RejectionReason.MALFORMED
    assert rejected(session.claim(1, (1, 2, 3), 1)) is RejectionReason.LOCKED


@pytest.mark.parametrize("seat", [-1, 2, 99])
def test_unknown_seat_raises(seat: int) -> None:
    session = running()
    with pytest.raises(ValueError, match=rf"there is no seat {seat}: allowed are 0\.\.1"):
        session.claim(seat, a_set(session), 0)


def test_same_set_claimed_twice_in_one_tick_scores_once() -> None:
    """Fault F1 and edge case of the rules: the second claim is judged against the updated board."""
    session = running()
    claimed = a_set(session)

    first, second = (judged(session.claim(seat, claimed, 50)) for seat in (1, 0))

    assert (first.is_valid, second.is_valid, second.reason) == (True, False, InvalidReason.STALE)
    assert [p.sets_collected for p in session.players] == [0, 1]
    assert session.deck.drawn == 15


def test_different_sets_in_one_tick_both_count() -> None:
    session = running(list(range(27)))
    assert judged(session.claim(0, (0, 1, 2), 50)).is_valid
    assert judged(session.claim(1, (3, 4, 5), 50)).is_valid


@pytest.mark.fault("F15")
def test_claim_never_takes_a_card_its_player_has_not_seen() -> None:
    """Fault F15: claims name cards, so they never match new cards in the same slots."""
    session = running(list(range(27)))
    session.claim(0, (0, 1, 2), 50)
    board = session.board.slots

    assert judged(session.claim(1, (0, 4, 8), 50)).reason is InvalidReason.STALE
    assert session.board.slots == board


@pytest.mark.fault("F25")
def test_penalty_none_still_slows_down_guessing() -> None:
    """Fault F25: the lock of the claimant allows one guess per animation, regardless of the number sent."""
    session = running(animation_ms=AnimationMs(invalid_set=400))
    wrong = no_set(session)
    events = [session.claim(0, wrong, now_ms)[-1] for now_ms in range(0, 2_000, 50)]

    assert sum(not isinstance(event, ClaimRejected) for event in events) == 5
    assert judged(session.claim(1, sets_in(session.board.card_ids)[0], 2_000)).is_valid


def test_invalid_claim_event_has_claimant_and_cards() -> None:
    session = running()
    cards = no_set(session)

    claim = judged(session.claim(1, cards, 1_000))

    assert (claim.seat, claim.card_ids) == (1, cards)
