"""Two matches on the real Nakama whose decks differ only in undealt cards give the same output."""

from __future__ import annotations

import json
import logging
import random
from itertools import zip_longest
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from demo.client.vocabulary import Op
from demo.stack.ports import HOST
from match_handler.match import game
from match_handler.service.config import Address, Settings
from match_handler.service.server import start_server
from set_core import Deck, any_set_among
from tests.leaks.witness import Witness, normalized, received
from tests.support.clients import CLAIM_ORDERS, wait_for_rules_service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from demo.client.player import Player
    from demo.stack.native import NativeStack
    from tests.proof.ledger import Tries
    from tests.support.clients import Clients

    Play = Callable[[str], "RecordedMatch"]

pytestmark = pytest.mark.nakama

INSTANT = {"validSet": 0, "refill": 0, "invalidSet": 0, "expandBoard": 0}
DEALT = 18
"""Twelve, and three for each of the two claimed Sets."""
CONSECUTIVE = 5
"""This number of consecutive undealt cards in a log would reveal the order."""


def _order() -> list[int]:
    """Return a deck whose board has a Set at the start and after each of two claims."""
    for seed in range(1, 1_000):
        order = random.Random(seed).sample(range(81), 81)
        if all(any_set_among(order[start:][:12]) for start in (0, 3, 6)):
            return order
    raise AssertionError("no such deck")


def _twin(order: list[int]) -> list[int]:
    rest = order[DEALT:]
    random.Random(99).shuffle(rest)
    return order[:DEALT] + rest


class FixedDeckService:
    """A rules service in this process that replaces the one of the stack and deals a given deck."""

    def __init__(self) -> None:
        self.order: list[int] = []

    def deal(self, *_: object) -> Deck:
        return Deck.from_order(self.order)


@pytest.fixture
def rigged(stack: NativeStack, monkeypatch: pytest.MonkeyPatch) -> Iterator[FixedDeckService]:
    rigged = FixedDeckService()
    monkeypatch.setattr(game, "_deck", rigged.deal)
    stack.kill_rules()
    server = start_server(Settings(listen=Address(HOST, stack.settings.rules_port), allow_seed=True))
    wait_for_rules_service(stack)
    yield rigged
    server.drain(1.0)
    stack.start_rules()


@pytest.fixture
def play(clients: Clients, stack: NativeStack, caplog: pytest.LogCaptureFixture) -> Play:
    """Return a function that plays a match with a claim order, and records all its output."""
    caplog.set_level(logging.DEBUG)
    return lambda claim_order: RecordedMatch(clients, stack, caplog, claim_order)


class RecordedMatch:
    """One match and all output of it until its end."""

    def __init__(
        self, clients: Clients, stack: NativeStack, caplog: pytest.LogCaptureFixture, order: str
    ) -> None:
        self.clients, self.outsider = clients, clients.user()
        match_id = clients.create_match(animationMs=INSTANT, penalty="POINT", claimOrder=order)
        self.witness = Witness(stack, match_id)
        clients.cleanup.callback(self.witness.close)
        self.ann, self.bob = clients.join(match_id), clients.join(match_id)
        self.cat = clients.join(match_id)
        self._play()
        own = [record for record in caplog.records if record.name.startswith(("match_handler", "set_core"))]
        self.service_log = "\n".join(record.getMessage() for record in own)
        caplog.clear()

    @property
    def recipients(self) -> dict[str, Player]:
        return {"player": self.ann, "rejoiner": self.bob, "spectator": self.cat}

    @property
    def deck(self) -> list[int]:
        """Return the deck, which is public at the end."""
        ended = next(message for message in self.ann.messages if isinstance(message, wire.MatchEnded))
        return list(ended.deck)

    def _play(self) -> None:
        self._all_sync()
        self.ann.wait_for_answer(self.ann.claim_set())
        self._all_sync()
        self.bob.wait_for_answer(self.bob.claim_non_set())
        self._all_sync()
        self.bob.break_connection()
        self.ann.wait_for(wire.PlayerChanged)
        self.bob.rejoin()
        self._all_sync()
        self.bob.wait_for_answer(self.bob.claim_set())
        self.ann.send(77, b"nonsense")
        self._all_sync()
        self.messages_of = {name: received(player) for name, player in self.recipients.items()}
        self.views = self.witness.views[:]
        self.logged = self.witness.logged()
        self.bob.leave()
        self.ann.wait_for(wire.MatchEnded)

    def _all_sync(self) -> None:
        """Wait until all connections have received every message, and record the public views."""
        for player in self.recipients.values():
            player.send(Op.SYNC, {})
            player.wait_for(wire.Snapshot)
        self.witness.record_views(self.outsider.token)


def _differing(one: list[str], other: list[str]) -> list[tuple[str | None, str | None]]:
    """Return the positions at which two recipients received different messages."""
    return [pair for pair in zip_longest(one, other) if pair[0] != pair[1]]


def _leaked(text: str, order: list[int]) -> bool:
    """Return whether a text contains consecutive undealt cards, as numbers or as bytes of a state."""
    numbers = json.dumps(order[DEALT:][:CONSECUTIVE])[1:-1]
    raw = bytes(order[DEALT:][:CONSECUTIVE])
    spaced = [numbers, numbers.replace(" ", ""), numbers.replace(",", "")]
    return any(form in text for form in [*spaced, raw.hex(), repr(raw)[2:-1], raw.decode("latin-1")])


@pytest.mark.claim(
    "on the real Nakama, players, spectators, rejoining users, listings and console receive no undealt card",
    "the same match with two decks that differ in undealt cards; all received messages compared",
)
@pytest.mark.parametrize("order", CLAIM_ORDERS)
def test_two_decks_look_the_same_through_nakama(
    play: Play, rigged: FixedDeckService, tried: Tries, order: str
) -> None:
    decks = [_order(), _twin(_order())]
    matches = []
    for rigged.order in decks:
        matches.append(play(order))

    one, other = matches
    for name in one.messages_of:
        assert _differing(one.messages_of[name], other.messages_of[name]) == [], name
    assert one.views == other.views
    assert normalized(one.service_log) == normalized(other.service_log)
    assert [match.deck for match in matches] == decks
    for match, deck in zip(matches, decks, strict=True):
        tried(sum(map(len, match.messages_of.values())) + len(match.views))
        assert not _leaked("\n".join([*match.views, match.logged, match.service_log]), deck)
    assert any(line.startswith("console") for line in one.views)
    assert any("PLAYING" in line for line in one.views if line.startswith("listing"))
    assert len(one.messages_of["player"]) > 8


def test_rejection_of_a_join_reveals_nothing(clients: Clients, rigged: FixedDeckService) -> None:
    errors = []
    for rigged.order in (_order(), _twin(_order())):
        one, other = clients.pair(animationMs=INSTANT, allowSpectators=False)
        with pytest.raises(NakamaError) as refused:
            clients.join(one.match_id)
        errors.append(str(refused.value))
        other.leave()

    assert errors[0] == errors[1]
