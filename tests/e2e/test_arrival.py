"""Matches that judge claims on arrival (claimOrder ARRIVAL) on the real Nakama."""

from __future__ import annotations

import random
import time
from statistics import median
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.duel import play_duel
from demo.client.vocabulary import Op, Reason
from match_handler.match.rejections import RATE_LIMIT
from tests.support.clients import SINGLE, assert_replays, wait_for_record

if TYPE_CHECKING:
    from pathlib import Path

    from demo.client.player import Player
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

ARRIVAL = "ARRIVAL"
CONTESTS = 40
TIMED_CLAIMS = 15
BURST = 30
LOCKS_MS = {"validSet": 100, "refill": 50, "invalidSet": 0, "expandBoard": 0}


def test_whole_match_judged_on_arrival_replays(clients: Clients, tmp_path: Path) -> None:
    one, other = clients.pair(claimOrder=ARRIVAL)
    play_duel((one, other), 0.02, random.Random(2))
    for player in (one, other):
        player.sync()
    results = one.model.results
    assert results is not None
    assert results == other.model.results
    record = wait_for_record(one.client, results.record_key)
    assert_replays(record, tmp_path)


def contest(players: tuple[Player, Player]) -> None:
    """Let both players claim the same Set at the same time, and check that exactly one gets it."""
    for player in players:
        player.wait_until_idle()
    if not players[0].model.sets:
        return
    claims = [(player, player.claim(players[0].first_set())) for player in players]
    answers = [player.wait_for_answer(claim_id) for player, claim_id in claims]
    won = [answer for answer in answers if isinstance(answer, wire.ClaimResult) and answer.valid]
    lost = [answer for answer in answers if answer not in won]
    assert len(won) == 1
    assert len(lost) == 1
    assert lost[0].reason in {Reason.LOCKED, Reason.MATCH_OVER}  # the last Set ends the game
    for player, claim_id in claims:
        player.sync()
        assert len(player.answers_to(claim_id)) == 1


def test_contested_set_is_won_once_and_locks_the_other(clients: Clients) -> None:
    contests = 0
    while contests < CONTESTS:
        players = clients.pair(claimOrder=ARRIVAL, animationMs=LOCKS_MS)
        while contests < CONTESTS and all(player.model.playing for player in players):
            contest(players)
            players = (players[1], players[0])
            contests += 1
        snapshot = players[0].sync()
        assert all(player.score == player.sets_collected for player in snapshot.players)
        for player in players:
            player.leave()


def test_last_claim_counts_although_the_sender_leaves(clients: Clients) -> None:
    one, other = clients.pair(claimOrder=ARRIVAL)
    claim_id = one.claim_set()
    one.leave()
    while not other.answers_to(claim_id):
        other.receive()
    answer = other.wait_for_answer(claim_id)
    assert isinstance(answer, wire.ClaimResult)
    assert answer.valid


def test_burst_of_one_connection_is_answered_in_order(clients: Clients) -> None:
    (player,) = clients.start_match(SINGLE, claimOrder=ARRIVAL)
    claims = [player.claim_non_set() for _ in range(BURST)]
    for claim_id in claims:
        player.wait_for_answer(claim_id)
    answered = [
        message.claim_id
        for message in player.messages
        if isinstance(message, wire.ClaimResult | wire.ClaimRejected)
    ]
    assert answered == claims


def answer_times(player: Player) -> list[float]:
    """Return the seconds from a claim to its answer, at random times within the ticks."""
    times = []
    for pause in range(TIMED_CLAIMS):
        player.wait_until_idle()
        time.sleep(0.05 * pause / TIMED_CLAIMS)
        claim_id = player.claim_set()
        start = time.monotonic()
        player.wait_for_answer(claim_id)
        times.append(time.monotonic() - start)
    return times


def test_claims_are_answered_earlier_than_in_ticks(clients: Clients) -> None:
    medians = {
        order: median(answer_times(clients.start_match(SINGLE, claimOrder=order)[0]))
        for order in (ARRIVAL, "TICK")
    }
    assert medians[ARRIVAL] < medians["TICK"] / 2, medians


def test_client_repeats_a_sync_above_the_rate_limit(clients: Clients) -> None:
    (player,) = clients.start_match(SINGLE, claimOrder=ARRIVAL)
    for _ in range(RATE_LIMIT + 1):
        player.claim_non_set()
    player.sync()
    rejected = [answer.op_code for answer in player.received(wire.ClaimRejected)]
    assert Op.SYNC in rejected
