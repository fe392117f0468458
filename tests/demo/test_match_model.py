"""The client model detects errors of the match."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from demo.client import messages as wire
from demo.client.comparison import ModelMismatchError, SequenceGapError
from demo.client.match_model import MatchModel
from demo.client.vocabulary import Change, End, Phase, Reason, Status
from tests.demo.sample_messages import (
    DECK,
    OPTIONS,
    PLAYERS,
    REFILL,
    deal,
    ended,
    invalid,
    snapshot,
    snapshot_after_valid,
    valid,
)


def started() -> MatchModel:
    model = MatchModel()
    model.apply(snapshot())
    model.apply(deal())
    return model


def after_valid() -> MatchModel:
    model = started()
    model.apply(valid())
    return model


def test_valid_claim_takes_three_cards_deals_three_and_scores() -> None:
    model = after_valid()
    assert model.board == [12, 13, 14, *range(3, 12)]
    assert (model.players[0].score, model.cards_remaining, model.board_version) == (1, 66, 2)


def test_equal_snapshot_counts_as_checked() -> None:
    model = after_valid()
    model.apply(snapshot_after_valid())
    assert model.checked == 1


@pytest.mark.parametrize(
    ("now_ms", "phase"),
    [
        (200, Phase.VALID_SET_ANIM),
        (599, Phase.VALID_SET_ANIM),
        (600, Phase.REFILL_ANIM),
        (899, Phase.REFILL_ANIM),
        (900, Phase.BOARD_IDLE),
    ],
)
def test_phases_follow_the_lock(now_ms: int, phase: Phase) -> None:
    assert after_valid().phase_at(now_ms) == phase


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("seq", {"seq": 4}),
        ("game", {"game": 2}),
        ("players", {"players": PLAYERS}),
        ("slots", {"slots": deal().slots}),
        ("cardsRemaining", {"cards_remaining": 69}),
        ("boardVersion", {"board_version": 1}),
        ("phase", {"phase": Phase.BOARD_IDLE}),
        ("lockedUntilMs", {"locked_until_ms": None}),
        ("options", {"options": msgspec.structs.replace(OPTIONS, penalty="PENALTY_NONE")}),
    ],
)
def test_different_snapshot_names_the_field(field: str, changes: dict[str, Any]) -> None:
    with pytest.raises(ModelMismatchError, match=f"^{field}:"):
        after_valid().apply(snapshot_after_valid(**changes))


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("game", deal(game=2)),
        ("players", deal(players=[valid().player, PLAYERS[1]])),
        ("slots", deal(slots=deal().slots[:11])),
        ("cards dealt before", deal(slots=[*deal().slots[:11], wire.Slot(index=11, card_id=0)])),
        ("cardsRemaining", deal(cards_remaining=68)),
    ],
)
def test_wrong_deal_names_the_field(field: str, message: wire.MatchStarted) -> None:
    model = MatchModel()
    model.apply(snapshot())
    with pytest.raises(ModelMismatchError, match=f"^{field}:"):
        model.apply(message)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("valid", invalid(card_ids=[0, 1, 2])),
        ("valid", valid(card_ids=[0, 1, 3])),
        ("valid", valid(score_delta=2)),
        ("userId", valid(user_id="bob")),
        ("player", valid(player=PLAYERS[0])),
        ("slots", valid(slots=REFILL[:2])),
        ("slots", valid(slots=[wire.Slot(index=index) for index in range(3)])),
        ("cards dealt before", valid(slots=[*REFILL[:2], wire.Slot(index=2, card_id=0)])),
        ("boardVersion", valid(board_version=1)),
        ("cardsRemaining", valid(cards_remaining=69)),
        ("phase", valid(phase=Phase.BOARD_IDLE)),
        ("valid", invalid(reason=Reason.STALE)),
        ("valid", invalid(mixed_attribute="ATTRIBUTE_NUMBER")),
        ("valid", invalid(message="no")),
        ("slots", invalid(slots=REFILL)),
        ("player", invalid(player=PLAYERS[0])),
    ],
)
def test_wrong_judgement_names_the_field(field: str, message: wire.ClaimResult) -> None:
    with pytest.raises(ModelMismatchError, match=f"^{field}"):
        started().apply(message)


def test_point_penalty_never_falls_below_zero() -> None:
    model = after_valid()
    player = msgspec.structs.replace(PLAYERS[0], score=0, sets_collected=1, invalid_attempts=1)
    penalized = invalid(
        seq=4, card_ids=[3, 4, 6], score_delta=-1, player=player, board_version=2, cards_remaining=66
    )
    model.apply(penalized)
    assert model.players[0].score == 0
    again = msgspec.structs.replace(player, invalid_attempts=2)
    model.apply(msgspec.structs.replace(penalized, seq=5, score_delta=0, player=again))
    assert model.players[0].invalid_attempts == 2


def test_claim_on_taken_cards_is_expected_to_be_stale() -> None:
    model = after_valid()
    late = msgspec.structs.replace(PLAYERS[1], invalid_attempts=1)
    model.apply(
        invalid(
            seq=4,
            seat=1,
            user_id="bob",
            card_ids=[0, 1, 2],
            reason=Reason.STALE,
            mixed_attribute="ATTRIBUTE_UNSPECIFIED",
            message="Cards no longer on the board",
            player=late,
            board_version=2,
            cards_remaining=66,
        ),
    )
    assert model.players[1].invalid_attempts == 1


@pytest.mark.parametrize("seq", [1, 2, 4])
def test_missing_or_repeated_message_is_detected(seq: int) -> None:
    with pytest.raises(SequenceGapError, match="waits for 3"):
        started().apply(valid(seq=seq))


def test_expansion_of_a_board_with_sets_is_rejected() -> None:
    new = [wire.Slot(index=12 + i, card_id=12 + i) for i in range(3)]
    expanded = wire.BoardExpanded(
        seq=3,
        slots=new,
        board_version=2,
        cards_remaining=66,
        phase=Phase.EXPAND_BOARD,
        locked_until_ms=250,
    )
    with pytest.raises(ModelMismatchError, match="sets on the board"):
        started().apply(expanded)


def test_correct_end_is_accepted() -> None:
    model = after_valid()
    model.apply(ended())
    assert not model.playing


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("winnerSeat", ended(winner_seat=1)),
        ("winnerSeat", ended(winner_seat=None, draw=True)),
        ("standings", ended(standings=list(reversed(ended().standings)))),
        ("standings", ended(standings=ended().standings[:1])),
        ("deck", ended(deck=DECK[:-1])),
        ("deck", ended(deck=DECK[::-1])),
        ("sets on the board", ended(reason=End.DECK_EXHAUSTED)),
    ],
)
def test_wrong_end_names_the_field(field: str, message: wire.MatchEnded) -> None:
    with pytest.raises(ModelMismatchError, match=f"^{field}"):
        after_valid().apply(message)


def changed(change: Change, **fields: Any) -> wire.PlayerChanged:
    return wire.PlayerChanged(seq=3, player=msgspec.structs.replace(PLAYERS[1], **fields), change=change)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("status", changed(Change.DISCONNECTED)),
        ("status", changed(Change.FORFEITED, status=Status.DISCONNECTED)),
        ("player", changed(Change.READY, score=5)),
        ("change, seat", changed(Change.READY, seat=2)),
    ],
)
def test_wrong_player_change_names_the_field(field: str, message: wire.PlayerChanged) -> None:
    with pytest.raises(ModelMismatchError, match=f"^{field}:"):
        started().apply(message)


def test_snapshot_after_a_gap_is_accepted() -> None:
    model = started()
    model.forget()
    model.apply(valid(seq=9))
    model.apply(snapshot_after_valid(seq=9))
    assert (model.seq, model.checked) == (9, 0)


def test_pause_is_recorded() -> None:
    model = started()
    model.apply(wire.ServiceStatus(paused=True, closed=False, restarting=False))
    assert model.paused
