"""A match with a shadow: every call is repeated on a copy whose undealt cards are in another order.

Cards that the call deals may be visible, so the shadow keeps their order and shuffles the rest for every
call. All output of the call must be the same, byte for byte.
"""

import random
from collections.abc import Callable
from typing import TypeVar

import msgspec
import pytest
from msgspec.structs import replace

from match_handler.match import game
from match_handler.match.context import MatchContext, Moment, Presence
from match_handler.match.match import Match
from match_handler.match.state import MatchState, decode_state, encode_state
from match_handler.match.step import Effect, LeaderboardWrite, Step
from match_handler.protocol.options import parse_options
from set_core import Deck, MatchOptions

MATCH_ID = "match"
NOON_MS = 1_796_126_400_000

_T = TypeVar("_T")


class ShadowedMatch:
    """Keeps the state of the match and counts the compared calls."""

    def __init__(self, options: bytes, chance: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
        self.compared = 0
        self._chance = chance
        self._next_deck: list[int] = []
        monkeypatch.setattr(game, "_deck", self._deal)
        expected = [Presence("ann", "", "ann")]
        parsed = parse_options(options, allow_seed=True)
        self.state = Match.create(MATCH_ID, parsed, NOON_MS, chance.randbytes(24), expected).step().state

    @property
    def match_state(self) -> MatchState:
        """Return the decoded state."""
        return decode_state(self.state)

    def call(self, act: Callable[[Match], _T], now_ms: int) -> tuple[_T, Step]:
        """Make a call on the match and on its shadow; return the result of the match."""
        before, deck = self.match_state, self._chance.sample(range(81), 81)
        answer, step = self._run(self.state, deck, act, now_ms)
        after = decode_state(step.state)
        dealt = _dealt(before, after)
        shadow_state, shadow_deck = self._shuffled(before, deck, dealt)
        shadow_answer, shadow_step = self._run(shadow_state, shadow_deck, act, now_ms)
        assert _response_without_deck(shadow_answer, shadow_step) == _response_without_deck(answer, step)
        assert _output_without_deck(shadow_step) == _output_without_deck(step)
        assert _without_deck(decode_state(shadow_step.state)) == _without_deck(after)
        self.compared += 1
        self.state = step.state
        return answer, step

    def _deal(self, _context: MatchContext, _options: MatchOptions) -> Deck:
        return Deck.from_order(self._next_deck)

    def _run(self, state: bytes, deck: list[int], act: Callable[[Match], _T], now_ms: int) -> tuple[_T, Step]:
        self._next_deck = deck
        match = Match.restore(MATCH_ID, state, Moment(now_ms, NOON_MS + now_ms))
        answer = act(match)
        return answer, match.step()

    def _shuffled(self, before: MatchState, deck: list[int], dealt: int) -> tuple[bytes, list[int]]:
        """Return the state and the next deck with all cards shuffled that the call does not deal."""
        if before.session is not None:
            shown = before.session.drawn + dealt
            before.session.order = bytes(self._rest_shuffled(list(before.session.order), shown))
        return encode_state(before), self._rest_shuffled(deck, dealt)

    def _rest_shuffled(self, cards: list[int], shown: int) -> list[int]:
        rest = cards[shown:]
        self._chance.shuffle(rest)
        return cards[:shown] + rest


def _dealt(before: MatchState, after: MatchState) -> int:
    """Return the number of cards dealt by a call."""
    if after.session is None:
        return 0
    same_game = before.session is not None and before.game == after.game
    return after.session.drawn - (before.session.drawn if same_game and before.session else 0)


def _without_deck(state: MatchState) -> MatchState:
    if state.session is not None:
        state.session.order = b""
    return state


def _public_deck(step: Step) -> bytes:
    """Return the deck as JSON if it is public, which it is only after the game."""
    session = decode_state(step.state).session
    return msgspec.json.encode(list(session.order)) if session and session.end_reason else b"secret"


def _response_without_deck(answer: object, step: Step) -> object:
    """Return the response without the public deck."""
    return answer.replace(_public_deck(step), b"[]") if isinstance(answer, bytes) else answer


def _output_without_deck(step: Step) -> Step:
    """Return the visible output of a step without the public deck."""
    deck = _public_deck(step)
    broadcasts = [replace(sent, data=sent.data.replace(deck, b"[]")) for sent in step.broadcasts]
    effects = [_with_empty_deck(effect, deck) for effect in step.effects]
    return replace(step, state=b"", broadcasts=broadcasts, effects=effects)


def _with_empty_deck(effect: Effect, deck: bytes) -> Effect:
    if isinstance(effect, LeaderboardWrite):
        return effect
    return replace(effect, value=effect.value.replace(deck, b"[]"))
