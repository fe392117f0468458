"""Whole matches of two clients: equal models, a record that replays, and no secrets on the wire."""

from __future__ import annotations

import json
import random
import subprocess
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.duel import Duel, Pace
from demo.client.sets import CARDS, all_sets
from demo.client.vocabulary import End
from demo.stack.rules_service import SET_MATCH
from set_core.deck import Deck
from tests.e2e.results import wait_for_record

if TYPE_CHECKING:
    from pathlib import Path

    from demo.client.player import Player
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

FAST = Pace(0.0, 0.02)
FINAL_BOARD_SIZES = {0, 6, 9, 12, 15, 18}


def sync_after_messages(player: Player) -> None:
    """Compare the player's model with a snapshot after every message with a sequence number."""

    def sync(message: wire.Message) -> None:
        if isinstance(message, wire.Numbered):
            player.sync()

    player.listener = sync


def numbered(player: Player) -> list[wire.Numbered]:
    """Return the received messages with a sequence number."""
    return [message for message in player.messages if isinstance(message, wire.Numbered)]


def assert_compared_before_claims(player: Player) -> None:
    """Check that the model was equal to a snapshot directly before each claim and at the end.

    Two claims for the same Set can be judged in one tick, in which a client receives at most one snapshot.
    """
    _, *snapshots = (message for message in player.messages if isinstance(message, wire.Snapshot))
    assert player.model.checked == len(snapshots)
    compared = {snapshot.seq for snapshot in snapshots}
    for before, message in pairwise(numbered(player)):
        if isinstance(message, wire.ClaimResult) and not is_for_same_set(before, message):
            assert before.seq in compared
    assert numbered(player)[-1].seq in compared


def is_for_same_set(before: wire.Message, claim: wire.ClaimResult) -> bool:
    """Return whether the message before a claim is the valid claim for the same Set."""
    return isinstance(before, wire.ClaimResult) and before.valid and before.card_ids == claim.card_ids


@pytest.mark.fault("F13")
def test_client_models_equal_the_match_until_the_end(room: Room, tmp_path: Path) -> None:
    one, other = room.two()
    for player in (one, other):
        sync_after_messages(player)
    Duel(one, other, FAST, random.Random(1)).play()
    for player in (one, other):
        player.sync()
        assert_compared_before_claims(player)
    assert_same_end(one, other)
    assert_record_replays(one, tmp_path)


def assert_same_end(one: Player, other: Player) -> None:
    ends = [player.model.results for player in (one, other)]
    assert ends[0] == ends[1]
    assert ends[0] is not None
    assert ends[0].reason == End.DECK_EXHAUSTED
    left = one.model.board
    assert len(left) in FINAL_BOARD_SIZES
    assert all_sets(left) == []
    assert 3 * sum(line.player.sets_collected for line in ends[0].standings) == CARDS - len(left)
    shared = len(numbered(other)) - 1
    assert numbered(one)[-shared:] == numbered(other)[-shared:]


def assert_record_replays(player: Player, folder: Path) -> None:
    assert player.model.results is not None
    record = wait_for_record(player.client, player.model.results.record_key)
    path = folder / "record.json"
    path.write_text(json.dumps(record))
    replayed = subprocess.run([SET_MATCH, "replay", path], capture_output=True, text=True, check=False)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


@pytest.mark.fault("F24")
def test_undealt_cards_are_not_sent_before_the_end(room: Room) -> None:
    one, other = room.two()
    Duel(one, other, FAST, random.Random(2)).play()
    last = next(i for i, message in enumerate(one.messages) if isinstance(message, wire.MatchEnded))
    ended = one.messages[last]
    assert isinstance(ended, wire.MatchEnded)
    for message, data in zip(one.messages[:last], one.payloads[:last], strict=True):
        assert b"deck" not in data.lower()
        assert b"seed" not in data.lower()
        if isinstance(message, wire.MatchStarted | wire.Snapshot) and message.slots:
            dealt = CARDS - message.cards_remaining
            assert {slot.card_id for slot in message.slots} - {None} <= set(ended.deck[:dealt])


@pytest.mark.fault("F12")
def test_first_board_without_a_set_is_expanded(room: Room) -> None:
    seed = next(seed for seed in range(1, 10_000) if not all_sets(card.id for card in Deck(seed).draw(12)))
    one, other = room.two(seed=seed)
    for player in (one, other):
        assert len(player.wait_for(wire.BoardExpanded).slots) == 3
        snapshot = player.wait_until_idle()
        assert len(snapshot.slots) in (15, 18)
        assert player.model.sets
