"""Two matches on the real Nakama whose decks differ in undealt cards only look the same to everybody."""

from __future__ import annotations

import json
import logging
import random
from itertools import zip_longest
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.nakama_socket import NakamaError
from demo.ports import HOST
from demo.vocabulary import Op
from match_handler.match import game
from match_handler.service.config import Address, Settings
from match_handler.service.server import start_server
from set_core import Deck, any_set_among
from tests.leaks.witness import Witness, received, without_chance
from tests.native.room import wait_for_referee

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.player import Player
    from demo.stack import NativeStack
    from tests.native.room import Room
    from tests.proof.ledger import Tries

pytestmark = pytest.mark.nakama

INSTANT = {"validSet": 0, "refill": 0, "invalidSet": 0, "expandBoard": 0}
DEALT = 18
"""Twelve, and three for each of the two Sets that are claimed."""
RUN = 5
"""So many undealt cards in their order, in any log, would give the order away."""


def _order() -> list[int]:
    """A deck on whose first eighteen cards there is always a Set while two are claimed."""
    for seed in range(1, 1_000):
        order = random.Random(seed).sample(range(81), 81)
        if all(any_set_among(order[start:][:12]) for start in (0, 3, 6)):
            return order
    raise AssertionError("no such deck")


def _twin(order: list[int]) -> list[int]:
    rest = order[DEALT:]
    random.Random(99).shuffle(rest)
    return order[:DEALT] + rest


class Rigged:
    """A rules service in this process, in place of the stack's own, that deals a given deck."""

    def __init__(self) -> None:
        self.order: list[int] = []

    def deal(self, *_: object) -> Deck:
        return Deck.from_order(self.order)


@pytest.fixture
def rigged(stack: NativeStack, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rigged]:
    rigged = Rigged()
    monkeypatch.setattr(game, "_deck", rigged.deal)
    stack.kill_rules()
    server = start_server(Settings(listen=Address(HOST, stack.settings.rules_port), allow_seed=True))
    wait_for_referee(stack)
    yield rigged
    server.drain(1.0)
    stack.start_rules()


class Story:
    """One match, played as ever: everything that everybody saw of it until it ended."""

    def __init__(self, room: Room, stack: NativeStack, caplog: pytest.LogCaptureFixture) -> None:
        self.room, self.outsider = room, room.user()
        match_id = room.match(animationMs=INSTANT, penalty="POINT")
        self.witness = Witness(stack, match_id)
        room.cleanup.callback(self.witness.close)
        self.ann, self.bob = room.sit(match_id), room.sit(match_id)
        self.cat = room.sit(match_id)
        self._play()
        own = [record for record in caplog.records if record.name.startswith(("match_handler", "set_core"))]
        self.service_log = "\n".join(record.getMessage() for record in own)
        caplog.clear()

    @property
    def everybody(self) -> dict[str, Player]:
        return {"player": self.ann, "rejoiner": self.bob, "watcher": self.cat}

    @property
    def deck(self) -> list[int]:
        """The deck, which is public in the end."""
        ended = next(heard for heard in self.ann.heard if isinstance(heard, wire.MatchEnded))
        return list(ended.deck)

    def _play(self) -> None:
        self._all_sync()
        self.ann.verdict(self.ann.claim_set())
        self._all_sync()
        self.bob.verdict(self.bob.claim_non_set())
        self._all_sync()
        self.bob.drop()
        self.ann.wait_for(wire.PlayerChanged)
        self.bob.rejoin()
        self._all_sync()
        self.bob.verdict(self.bob.claim_set())
        self.ann.send(77, b"nonsense")
        self._all_sync()
        self.told = {name: received(player) for name, player in self.everybody.items()}
        self.seen = self.witness.seen[:]
        self.logged = self.witness.logged()
        self.bob.leave()
        self.ann.wait_for(wire.MatchEnded)

    def _all_sync(self) -> None:
        """Everybody has heard everything, and the watchers outside look."""
        for player in self.everybody.values():
            player.send(Op.SYNC, {})
            player.wait_for(wire.Snapshot)
        self.witness.look(self.outsider.token)


def _differing(one: list[str], other: list[str]) -> list[tuple[str | None, str | None]]:
    """The places at which two parties received something else."""
    return [pair for pair in zip_longest(one, other) if pair[0] != pair[1]]


def _leaked(text: str, order: list[int]) -> bool:
    """Whether some undealt cards stand in their order in a text, as numbers or as bytes of a state."""
    numbers = json.dumps(order[DEALT:][:RUN])[1:-1]
    raw = bytes(order[DEALT:][:RUN])
    spaced = [numbers, numbers.replace(" ", ""), numbers.replace(",", "")]
    return any(form in text for form in [*spaced, raw.hex(), repr(raw)[2:-1], raw.decode("latin-1")])


@pytest.mark.claim(
    "on the real Nakama too: players, watchers, rejoiners, listing and console show no undealt card",
    "the same match with two decks that differ in undealt cards, all that is received compared",
)
def test_two_decks_look_the_same_through_nakama(
    room: Room,
    stack: NativeStack,
    rigged: Rigged,
    caplog: pytest.LogCaptureFixture,
    tried: Tries,
) -> None:
    caplog.set_level(logging.DEBUG)
    decks = [_order(), _twin(_order())]
    stories = []
    for rigged.order in decks:
        stories.append(Story(room, stack, caplog))

    one, other = stories
    for who in one.told:
        assert _differing(one.told[who], other.told[who]) == [], who
    assert one.seen == other.seen
    assert without_chance(one.service_log) == without_chance(other.service_log)
    assert [story.deck for story in stories] == decks
    for story, deck in zip(stories, decks, strict=True):
        tried(sum(map(len, story.told.values())) + len(story.seen))
        assert not _leaked("\n".join([*story.seen, story.logged, story.service_log]), deck)
    assert any(line.startswith("console") for line in one.seen)
    assert any("PLAYING" in line for line in one.seen if line.startswith("listing"))
    assert len(one.told["player"]) > 8


def test_whoever_is_refused_learns_nothing(room: Room, rigged: Rigged) -> None:
    said = []
    for rigged.order in (_order(), _twin(_order())):
        one, other = room.two(animationMs=INSTANT, allowSpectators=False)
        with pytest.raises(NakamaError) as refused:
            room.sit(one.match_id)
        said.append(str(refused.value))
        other.leave()

    assert said[0] == said[1]
