from __future__ import annotations

import json
import random
import subprocess
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.duel import Duel, Pace
from demo.rules_service import SET_MATCH
from demo.sets import CARDS, all_sets
from demo.vocabulary import End, Op
from set_core.deck import Deck

if TYPE_CHECKING:
    from pathlib import Path

    from demo.player import Player
    from tests.nakama.conftest import Room

pytestmark = pytest.mark.nakama

FAST = Pace(0.0, 0.02)
NATURAL_ENDS = {0, 6, 9, 12, 15, 18}


def sync_after_messages(player: Player) -> None:
    def ask(message: wire.Message) -> None:
        if isinstance(message, wire.Numbered):
            player.sync()

    player.listener = ask


def numbered(player: Player) -> list[wire.Message]:
    return [message for message in player.heard if isinstance(message, wire.Numbered)]


@pytest.mark.fault("F13")
def test_the_models_of_two_clients_equal_the_servers_through_a_whole_match(
    room: Room,
    tmp_path: Path,
) -> None:
    one, other = room.two()
    for player in (one, other):
        sync_after_messages(player)
    Duel(one, other, FAST, random.Random(1)).play()
    for player in (one, other):
        player.sync()
        assert player.table.checked > len(numbered(player)) / 2
    assert_same_end(one, other)
    assert_record_replays(one, tmp_path)


def assert_same_end(one: Player, other: Player) -> None:
    ends = [player.table.results for player in (one, other)]
    assert ends[0] == ends[1]
    assert ends[0] is not None
    assert ends[0].reason == End.DECK_EXHAUSTED
    left = one.table.board
    assert len(left) in NATURAL_ENDS
    assert all_sets(left) == []
    assert 3 * sum(line.player.sets_collected for line in ends[0].standings) == CARDS - len(left)
    shared = len(numbered(other)) - 1
    assert numbered(one)[-shared:] == numbered(other)[-shared:]


def assert_record_replays(player: Player, folder: Path) -> None:
    assert player.table.results is not None
    key = player.table.results.record_key
    record = None
    while record is None:
        record = player.client.record(key)
    path = folder / "record.json"
    path.write_text(json.dumps(record))
    replayed = subprocess.run([SET_MATCH, "replay", path], capture_output=True, text=True, check=False)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


@pytest.mark.fault("F24")
def test_no_card_is_named_before_it_is_dealt_and_no_deck_before_the_end(room: Room) -> None:
    one, other = room.two()
    Duel(one, other, FAST, random.Random(2)).play()
    last = next(i for i, message in enumerate(one.heard) if isinstance(message, wire.MatchEnded))
    ended = one.heard[last]
    assert isinstance(ended, wire.MatchEnded)
    for message, data in zip(one.heard[:last], one.raw[:last], strict=True):
        assert b"deck" not in data.lower()
        assert b"seed" not in data.lower()
        if isinstance(message, wire.MatchStarted | wire.Snapshot) and message.slots:
            dealt = CARDS - message.cards_remaining
            assert {slot.card_id for slot in message.slots} - {None} <= set(ended.deck[:dealt])


def test_a_seeded_match_deals_the_documented_order(room: Room) -> None:
    one, other = room.two(seed=20261129)
    dealt = [
        slot.card_id
        for message in one.heard
        if isinstance(message, wire.MatchStarted)
        for slot in message.slots
    ]
    order = [card.id for card in Deck(20261129).draw(CARDS)]
    assert dealt == order[:12]
    one.leave()
    assert other.wait_for(wire.MatchEnded).deck == order


@pytest.mark.fault("F12")
def test_a_deal_without_a_set_is_expanded_at_once(room: Room) -> None:
    seed = next(seed for seed in range(1, 10_000) if not all_sets(card.id for card in Deck(seed).draw(12)))
    one, other = room.two(seed=seed)
    for player in (one, other):
        assert len(player.wait_for(wire.BoardExpanded).slots) == 3
        seen = player.wait_until_idle()
        assert len(seen.slots) in (15, 18)
        assert player.table.sets


def test_rematch_after_the_end_deals_another_game(room: Room) -> None:
    one, other = room.two(timeLimitSeconds=1)
    for player in (one, other):
        assert player.wait_for(wire.MatchEnded).reason == End.TIME_UP
        player.send(Op.REMATCH, {})
    for player in (one, other):
        assert player.wait_for(wire.MatchStarted).game == 2
        player.verdict(player.claim_set())
    assert one.sync().game == 2
