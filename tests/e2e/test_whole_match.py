"""Whole matches of two clients: equal models, and a record that replays."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.duel import play_duel
from demo.client.sets import CARDS, all_sets
from demo.client.vocabulary import End
from tests.support.clients import assert_replays, wait_for_record

if TYPE_CHECKING:
    from pathlib import Path

    from demo.client.player import Player
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

LONGEST_PAUSE_S = 0.02
FINAL_BOARD_SIZES = {0, 6, 9, 12, 15, 18}


def sync_after_messages(player: Player) -> None:
    """Compare the player's model with a snapshot after every message with a sequence number."""

    def sync(message: wire.Message) -> None:
        if isinstance(message, wire.Numbered):
            player.sync()

    player.listener = sync


def assert_compared_before_claims(player: Player) -> None:
    """Check that the model was equal to a snapshot directly before each claim and at the end.

    Two claims for the same Set can be judged in one tick, in which a client receives at most one snapshot.
    """
    _, *snapshots = player.received(wire.Snapshot)
    assert player.model.checked == len(snapshots)
    compared = {snapshot.seq for snapshot in snapshots}
    for before, message in pairwise(player.received(wire.Numbered)):
        if isinstance(message, wire.ClaimResult) and not is_for_same_set(before, message):
            assert before.seq in compared
    assert player.received(wire.Numbered)[-1].seq in compared


def is_for_same_set(before: wire.Message, claim: wire.ClaimResult) -> bool:
    """Return whether the message before a claim is the valid claim for the same Set."""
    return isinstance(before, wire.ClaimResult) and before.valid and before.card_ids == claim.card_ids


@pytest.mark.fault("F13")
def test_client_models_equal_the_match_until_the_end(clients: Clients, tmp_path: Path) -> None:
    one, other = clients.pair()
    for player in (one, other):
        sync_after_messages(player)
    play_duel((one, other), LONGEST_PAUSE_S, random.Random(1))
    for player in (one, other):
        player.sync()
        assert_compared_before_claims(player)
    assert_same_end(one, other)
    assert one.model.results is not None
    assert_replays(wait_for_record(one.client, one.model.results.record_key), tmp_path)


def assert_same_end(one: Player, other: Player) -> None:
    ends = [player.model.results for player in (one, other)]
    assert ends[0] == ends[1]
    assert ends[0] is not None
    assert ends[0].reason == End.DECK_EXHAUSTED
    left = one.model.board
    assert len(left) in FINAL_BOARD_SIZES
    assert all_sets(left) == []
    assert 3 * sum(line.player.sets_collected for line in ends[0].standings) == CARDS - len(left)
    shared = len(other.received(wire.Numbered)) - 1
    assert one.received(wire.Numbered)[-shared:] == other.received(wire.Numbered)[-shared:]
