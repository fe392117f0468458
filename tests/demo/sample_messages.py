"""Correct messages of a match of alice against bob; tests change single fields to make them wrong."""

from __future__ import annotations

from typing import Any

import msgspec

from demo.client import messages as wire
from demo.client.vocabulary import End, Phase, Reason, Status

OPTIONS = wire.Options(
    mode="MODE_ONLINE",
    max_players=2,
    min_players=2,
    time_limit_seconds=0,
    penalty="PENALTY_POINT",
    time_penalty_seconds=5,
    tie_break_fewest_invalid=False,
    penalize_stale_claims=True,
    reconnect_window_seconds=30,
    animation_ms=wire.AnimationMs(valid_set=400, refill=300, invalid_set=400, expand_board=150),
    bots=[],
    allow_spectators=True,
    local_players=[],
    hints=False,
    private=False,
    claim_order="CLAIM_ORDER_TICK",
)
PLAYERS = [
    wire.Player(
        seat=seat,
        user_id=name,
        username=name,
        bot=False,
        score=0,
        sets_collected=0,
        invalid_attempts=0,
        status=Status.CONNECTED,
        ready=False,
    )
    for seat, name in enumerate(("alice", "bob"))
]
DECK = list(range(81))
REFILL = [wire.Slot(index=index, card_id=12 + index) for index in range(3)]


def snapshot(**changes: Any) -> wire.Snapshot:
    waiting = wire.Snapshot(
        seq=1,
        game=0,
        phase=Phase.WAITING,
        options=OPTIONS,
        players=PLAYERS,
        slots=[],
        cards_remaining=81,
        board_version=0,
        now_ms=0,
        creator_id="",
        your_seats=[0],
    )
    return msgspec.structs.replace(waiting, **changes)


def deal(**changes: Any) -> wire.MatchStarted:
    dealt = wire.MatchStarted(
        seq=2,
        game=1,
        phase=Phase.BOARD_IDLE,
        options=OPTIONS,
        players=PLAYERS,
        slots=[wire.Slot(index=index, card_id=index) for index in range(12)],
        cards_remaining=69,
        board_version=1,
        now_ms=100,
    )
    return msgspec.structs.replace(dealt, **changes)


def valid(**changes: Any) -> wire.ClaimResult:
    scored = msgspec.structs.replace(PLAYERS[0], score=1, sets_collected=1)
    result = wire.ClaimResult(
        seq=3,
        claim_id="a",
        seat=0,
        user_id="alice",
        card_ids=[0, 1, 2],
        valid=True,
        reason=Reason.NONE,
        mixed_attribute="ATTRIBUTE_UNSPECIFIED",
        message="",
        score_delta=1,
        player=scored,
        slots=REFILL,
        board_version=2,
        cards_remaining=66,
        phase=Phase.VALID_SET_ANIM,
        locked_until_ms=900,
    )
    return msgspec.structs.replace(result, **changes)


def invalid(**changes: Any) -> wire.ClaimResult:
    wrong = msgspec.structs.replace(PLAYERS[0], invalid_attempts=1, locked_until_ms=600)
    result = valid(
        card_ids=[0, 1, 3],
        valid=False,
        reason=Reason.NOT_A_SET,
        mixed_attribute="ATTRIBUTE_COLOR",
        message="Color is mixed",
        score_delta=0,
        player=wrong,
        slots=[],
        board_version=1,
        cards_remaining=69,
        phase=Phase.BOARD_IDLE,
        locked_until_ms=0,
    )
    return msgspec.structs.replace(result, **changes)


def snapshot_after_valid(**changes: Any) -> wire.Snapshot:
    now = snapshot(
        seq=3,
        game=1,
        phase=Phase.REFILL_ANIM,
        players=[valid().player, PLAYERS[1]],
        slots=[*REFILL, *deal().slots[3:]],
        cards_remaining=66,
        board_version=2,
        now_ms=650,
        locked_until_ms=900,
    )
    return msgspec.structs.replace(now, **changes)


def ended(**changes: Any) -> wire.MatchEnded:
    result = wire.MatchEnded(
        seq=4,
        reason=End.TIME_UP,
        winner_seat=0,
        draw=False,
        standings=[
            wire.Standing(rank=1, player=valid().player),
            wire.Standing(rank=2, player=PLAYERS[1]),
        ],
        duration_ms=1000,
        deck=DECK,
        record_key="m.1",
    )
    return msgspec.structs.replace(result, **changes)
