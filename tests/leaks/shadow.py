"""A match with a shadow: every call is also made on a copy whose undealt cards lie in another order.

What a call deals it may show, so those cards stay where they are in the shadow; the rest is shuffled anew for
every call. Then all that the call tells anybody must be the same, byte for byte.
"""

import random
from collections.abc import Callable
from typing import TypeVar

import msgspec
import pytest
from msgspec.structs import replace

from match_handler.match import game
from match_handler.match.context import Moment, Presence, Table
from match_handler.match.match import Match
from match_handler.match.state import MatchState, decode_state, encode_state
from match_handler.match.step import Effect, LeaderboardWrite, Step
from match_handler.protocol.options import parse_options
from set_core import Deck, MatchOptions

MATCH_ID = "match"
NOON_MS = 1_796_126_400_000

_T = TypeVar("_T")


class ShadowedMatch:
    """Keeps the state of the match; counts the calls that were compared."""

    def __init__(self, options: bytes, chance: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
        self.compared = 0
        self._chance = chance
        self._next_deck: list[int] = []
        monkeypatch.setattr(game, "_deck", self._deal)
        expected = [Presence("ann", "", "ann")]
        given = parse_options(options, allow_seed=True)
        self.state = Match.create(MATCH_ID, given, NOON_MS, chance.randbytes(24), expected).step().state

    @property
    def inside(self) -> MatchState:
        """The match as values."""
        return decode_state(self.state)

    def call(self, act: Callable[[Match], _T], now_ms: int) -> tuple[_T, Step]:
        """Makes a call, and makes it again on the shadow; returns what the match itself answered."""
        before, deck = self.inside, self._chance.sample(range(81), 81)
        answer, step = self._on(self.state, deck, act, now_ms)
        after = decode_state(step.state)
        dealt = _dealt(before, after)
        shadow_state, shadow_deck = self._shuffled(before, deck, dealt)
        shadow_answer, shadow_step = self._on(shadow_state, shadow_deck, act, now_ms)
        assert _said(shadow_answer, shadow_step) == _said(answer, step)
        assert _told(shadow_step) == _told(step)
        assert _without_deck(decode_state(shadow_step.state)) == _without_deck(after)
        self.compared += 1
        self.state = step.state
        return answer, step

    def _deal(self, _table: Table, _options: MatchOptions) -> Deck:
        return Deck.from_order(self._next_deck)

    def _on(self, state: bytes, deck: list[int], act: Callable[[Match], _T], now_ms: int) -> tuple[_T, Step]:
        self._next_deck = deck
        match = Match.restore(MATCH_ID, state, Moment(now_ms, NOON_MS + now_ms))
        answer = act(match)
        return answer, match.step()

    def _shuffled(self, before: MatchState, deck: list[int], dealt: int) -> tuple[bytes, list[int]]:
        """The state and the next deck with everything shuffled that the call does not deal."""
        if before.session is not None:
            shown = before.session.drawn + dealt
            before.session.order = bytes(self._rest_shuffled(list(before.session.order), shown))
        return encode_state(before), self._rest_shuffled(deck, dealt)

    def _rest_shuffled(self, cards: list[int], shown: int) -> list[int]:
        rest = cards[shown:]
        self._chance.shuffle(rest)
        return cards[:shown] + rest


def _dealt(before: MatchState, after: MatchState) -> int:
    """How many cards a call has dealt."""
    if after.session is None:
        return 0
    same_game = before.session is not None and before.game == after.game
    return after.session.drawn - (before.session.drawn if same_game and before.session else 0)


def _without_deck(state: MatchState) -> MatchState:
    if state.session is not None:
        state.session.order = b""
    return state


def _public_deck(step: Step) -> bytes:
    """The deck as it may be told: not at all before the game is over."""
    session = decode_state(step.state).session
    return msgspec.json.encode(list(session.order)) if session and session.end_reason else b"secret"


def _said(answer: object, step: Step) -> object:
    """The answer of a call without the public deck."""
    return answer.replace(_public_deck(step), b"[]") if isinstance(answer, bytes) else answer


def _told(step: Step) -> Step:
    """What a step tells anybody, without the public deck."""
    deck = _public_deck(step)
    broadcasts = [replace(sent, data=sent.data.replace(deck, b"[]")) for sent in step.broadcasts]
    effects = [_with_empty_deck(effect, deck) for effect in step.effects]
    return replace(step, state=b"", broadcasts=broadcasts, effects=effects)


def _with_empty_deck(effect: Effect, deck: bytes) -> Effect:
    if isinstance(effect, LeaderboardWrite):
        return effect
    return replace(effect, value=effect.value.replace(deck, b"[]"))
