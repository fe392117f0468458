"""A fault of the service tells neither its caller nor its log what the undealt cards are."""

import logging
import random
from typing import NoReturn

import grpc
import pytest

from match_handler.match import inputs, timing, views
from match_handler.match.context import Presence, Table
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
    inside = decode_state(state)
    assert inside.session is not None
    drawn, order = inside.session.drawn, inside.session.order
    inside.session.order = order[:drawn] + bytes(reversed(order[drawn:]))
    return encode_state(inside)


def _break(_table: Table, *_rest: object) -> NoReturn:
    raise RuntimeError("out of order")


def _log(caplog: pytest.LogCaptureFixture) -> list[object]:
    formatter = logging.Formatter()
    lines = [
        (formatter.format(record), {**vars(record), "exc_info": None, "exc_text": None})
        for record in caplog.records
    ]
    passing = ("created", "msecs", "relativeCreated", "thread", "threadName", "exc_info")
    for _, fields in lines:
        for name in passing:
            fields.pop(name, None)
    caplog.clear()
    return list(lines)


def test_a_fault_in_one_input_is_logged_without_the_deck(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(inputs, "_handle", _break)
    state = _state()
    said = pb.Input(user_id="ann", session_id="ann-1", op_code=2, data=b"{}")
    logs = []
    for twin in (state, _reshuffled(state)):
        request = pb.MatchLoopRequest(match_id=MATCH_ID, state=twin, now_ms=100, inputs=[said])
        call(MatchHandler().MatchLoop, request)
        logs.append(_log(caplog))

    assert logs[0] == logs[1]
    assert "out of order" in str(logs[0])


def test_a_fault_of_a_whole_call_is_told_with_a_fixed_text_and_logged_without_the_deck(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fall_over(table: Table) -> NoReturn:
        raise RuntimeError(f"out of order at {table.call.match_ms}")

    state = _state()
    monkeypatch.setattr(timing, "pass_until_deadline", fall_over)
    logs, said = [], []
    for twin in (state, _reshuffled(state)):
        request = pb.MatchSignalRequest(match_id=MATCH_ID, state=twin, now_ms=100, data="snapshot")
        with pytest.raises(CallEnded) as ended:
            call(MatchHandler().MatchSignal, request)
        said.append((ended.value.code, ended.value.details))
        logs.append(_log(caplog))

    assert logs[0] == logs[1]
    assert "out of order at 100" in str(logs[0])
    assert said == [(grpc.StatusCode.INTERNAL, INTERNAL_TEXT)] * 2


def test_a_match_that_tells_the_next_card_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof in test_undealt can fail: here a player's name gives the next card away."""
    honest = views.player_view

    def loose_tongue(table: Table, index: int) -> Player:
        player = honest(table, index)
        if table.session is not None and table.session.deck.cards_remaining:
            player.username = str(table.session.deck.order[table.session.deck.drawn])
        return player

    monkeypatch.setattr(views, "player_view", loose_tongue)
    chance = random.Random(1)
    crowd = Crowd(ShadowedMatch(b'{"mode": "SINGLE_PLAYER"}', chance, monkeypatch), chance)

    with pytest.raises(AssertionError):
        _act(crowd, 200)


def _act(crowd: Crowd, calls: int) -> None:
    for _ in range(calls):
        crowd.act()
