"""An exception of the service reveals no undealt cards to the caller or to the log."""

import logging
import random
from typing import NoReturn

import grpc
import pytest

from match_handler.match import inputs, timing, views
from match_handler.match.context import MatchContext, Presence
from match_handler.match.match import Match
from match_handler.match.state import decode_state, encode_state
from match_handler.protocol.options import parse_options
from match_handler.protocol.payloads import Player
from match_handler.service.errors import INTERNAL_TEXT
from match_handler.service.servicer import MatchHandler
from match_handler.v1 import match_handler_pb2 as pb
from tests.leaks.crowd import Crowd
from tests.leaks.shadow import MATCH_ID, NOON_MS, ShadowedMatch
from tests.proof.calling import CallEnded, call


def _state() -> bytes:
    match = Match.create(MATCH_ID, parse_options(b'{"mode": "SINGLE_PLAYER"}'), NOON_MS, bytes(24), [])
    match.join([Presence("ann", "ann-1", "ann")])
    return match.step().state


def _reshuffled(state: bytes) -> bytes:
    match_state = decode_state(state)
    assert match_state.session is not None
    drawn, order = match_state.session.drawn, match_state.session.order
    match_state.session.order = order[:drawn] + bytes(reversed(order[drawn:]))
    return encode_state(match_state)


def _break(_context: MatchContext, *_rest: object) -> NoReturn:
    raise RuntimeError("out of order")


def _log(caplog: pytest.LogCaptureFixture) -> list[object]:
    formatter = logging.Formatter()
    lines = [
        (formatter.format(record), {**vars(record), "exc_info": None, "exc_text": None})
        for record in caplog.records
    ]
    volatile = ("created", "msecs", "relativeCreated", "thread", "threadName", "exc_info")
    for _, fields in lines:
        for name in volatile:
            fields.pop(name, None)
    caplog.clear()
    return list(lines)


def test_fault_in_one_input_is_logged_without_the_deck(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(inputs, "_handle", _break)
    state = _state()
    sent = pb.Input(user_id="ann", session_id="ann-1", op_code=2, data=b"{}")
    logs = []
    for twin in (state, _reshuffled(state)):
        request = pb.MatchLoopRequest(match_id=MATCH_ID, state=twin, now_ms=100, inputs=[sent])
        call(MatchHandler().MatchLoop, request)
        logs.append(_log(caplog))

    assert logs[0] == logs[1]
    assert "out of order" in str(logs[0])


def test_fault_of_a_call_returns_a_fixed_text_and_hides_the_deck(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(context: MatchContext) -> NoReturn:
        raise RuntimeError(f"out of order at {context.call.match_ms}")

    state = _state()
    monkeypatch.setattr(timing, "advance_until_deadline", fail)
    logs, sent = [], []
    for twin in (state, _reshuffled(state)):
        request = pb.MatchSignalRequest(match_id=MATCH_ID, state=twin, now_ms=100, data="snapshot")
        with pytest.raises(CallEnded) as ended:
            call(MatchHandler().MatchSignal, request)
        sent.append((ended.value.code, ended.value.details))
        logs.append(_log(caplog))

    assert logs[0] == logs[1]
    assert "out of order at 100" in str(logs[0])
    assert sent == [(grpc.StatusCode.INTERNAL, INTERNAL_TEXT)] * 2


def test_match_that_reveals_the_next_card_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check of the proof in test_undealt: here a player's name reveals the next card."""
    original = views.player_view

    def reveal_next_card(context: MatchContext, index: int) -> Player:
        player = original(context, index)
        if context.session is not None and context.session.deck.cards_remaining:
            player.username = str(context.session.deck.order[context.session.deck.drawn])
        return player

    monkeypatch.setattr(views, "player_view", reveal_next_card)
    chance = random.Random(1)
    crowd = Crowd(ShadowedMatch(b'{"mode": "SINGLE_PLAYER"}', chance, monkeypatch), chance)

    with pytest.raises(AssertionError):
        _act(crowd, 200)


def _act(crowd: Crowd, calls: int) -> None:
    for _ in range(calls):
        crowd.act()
