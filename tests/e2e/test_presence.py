"""Lost connections, reconnects, second connections and leaves, in every mode."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.vocabulary import Change, End, Reason, Status
from demo.stack import postgres
from tests.support.clients import MODES, each_mode, wait_until, wait_until_unlisted

if TYPE_CHECKING:
    from demo.client.player import Player
    from demo.stack.native import NativeStack
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

MODES_FOR_ONE_USER = MODES[1:]
RECORD_OF = "SELECT value FROM storage WHERE collection = 'set_matches' AND value->>'matchId' = '{}'"
NO_ANSWER_WITHIN_S = 0.3
CLAIMS = 5


def scores(player: Player) -> list[tuple[int, int]]:
    """Return the score and the number of invalid claims of each seat of this user."""
    players = player.sync().players
    return [(players[seat].score, players[seat].invalid_attempts) for seat in player.seats]


@pytest.mark.fault("F20", "F21")
@each_mode
def test_lost_connection_keeps_seats_and_scores(clients: Clients, mode: str) -> None:
    player, *others = clients.start_match(mode)
    player.take_set()
    player.wait_until_idle()
    player.wait_for_answer(player.claim_non_set())
    seats, before = player.sync().your_seats, scores(player)
    player.break_connection()
    for other in others:
        lost = other.wait_for(wire.PlayerChanged).player
        assert (lost.seat, lost.status) == (seats[0], Status.DISCONNECTED)
        assert lost.reconnect_deadline_ms is not None
    player.rejoin()
    for other in others:
        assert other.wait_for(wire.PlayerChanged).change == Change.RECONNECTED
    snapshot = player.sync()
    assert snapshot.your_seats == seats
    assert {snapshot.players[seat].status for seat in seats} == {Status.CONNECTED}
    assert scores(player) == before
    assert player.take_set().player.score == before[0][0] + 1


@pytest.mark.fault("F21")
@each_mode
def test_second_connection_of_a_user_gets_the_seats(clients: Clients, mode: str) -> None:
    old = clients.start_match(mode)[0]
    old.take_set()
    seats = old.sync().your_seats
    new = clients.join(old.match_id, old.client)
    assert new.sync().your_seats == seats
    assert old.sync().your_seats == []
    answer = old.wait_for_answer(old.claim_set())
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.SPECTATOR
    assert new.take_set().player.score == 2
    old.break_connection()
    assert new.take_set().player.score == 3
    assert new.received(wire.PlayerChanged) == []


@pytest.mark.thread(2)
@pytest.mark.fault("F21")
def test_second_join_on_the_same_socket_changes_nothing(clients: Clients) -> None:
    player, _ = clients.pair()
    before = player.sync()
    assert player._socket.join_match(player.match_id)["match_id"] == player.match_id
    after = player.sync()
    assert (after.seq, after.your_seats, len(after.players)) == (before.seq, [0], 2)
    player.take_set()


def test_reconnect_timeout_forfeits_and_the_last_player_wins(clients: Clients) -> None:
    lost, other = clients.pair(reconnectWindowSeconds=1)
    other.take_set()
    lost.break_connection()
    ended = other.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.winner_seat) == (End.LAST_PLAYER_STANDING, other.seat)
    assert clients.join(lost.match_id, lost.client).sync().results is not None


@pytest.mark.thread(4)
@pytest.mark.parametrize("mode", MODES_FOR_ONE_USER)
@pytest.mark.parametrize("end", ["lost connection", "leave"])
def test_game_without_its_only_user_is_abandoned(
    clients: Clients, stack: NativeStack, mode: str, end: str
) -> None:
    """The record comes from the database, because no connection is left to receive its key."""
    (player,) = clients.start_match(mode, reconnectWindowSeconds=1)
    player.take_set()
    if end == "leave":
        player.leave()
    else:
        player.break_connection()
    folder = stack.settings.folder / "postgres"
    record = json.loads(wait_until(lambda: postgres.query(folder, RECORD_OF.format(player.match_id))))
    assert record["results"]["reason"] == End.ABANDONED
    assert "winnerSeat" not in record["results"]
    wait_until_unlisted(player.client, player.match_id)


def test_leave_forfeits_and_the_last_player_wins(clients: Clients) -> None:
    left, other = clients.pair()
    left.leave()
    changed = other.wait_for(wire.PlayerChanged)
    assert (changed.change, changed.player.seat) == (Change.FORFEITED, left.seat)
    ended = other.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.winner_seat) == (End.LAST_PLAYER_STANDING, other.seat)


@pytest.mark.fault("F5")
@pytest.mark.thread(3, 4)
def test_match_without_players_ends_despite_a_spectator(clients: Clients) -> None:
    players = clients.start_match(maxPlayers=3)
    spectator = clients.join(players[0].match_id)
    for player in players:
        player.leave()
    assert spectator.wait_for(wire.MatchEnded).reason == End.LAST_PLAYER_STANDING
    wait_until_unlisted(spectator.client, spectator.match_id)


@pytest.mark.thread(14)
def test_claims_after_leave_or_end_have_no_effect(clients: Clients) -> None:
    left, stayed = clients.pair()
    cards = stayed.first_set()
    left.leave()
    stayed.wait_for(wire.MatchEnded)
    left.claim(cards)
    with pytest.raises(TimeoutError):
        left.receive(within_s=NO_ANSWER_WITHIN_S)
    answer = stayed.wait_for_answer(stayed.claim(cards))
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.MATCH_OVER
    stayed.leave()
    wait_until_unlisted(stayed.client, stayed.match_id)
    stayed.claim(cards)
    time.sleep(NO_ANSWER_WITHIN_S)
    clients.pair()[0].take_set()


def test_claim_counts_if_the_connection_is_lost_after_it(clients: Clients) -> None:
    ann, bob = clients.pair()
    for points in range(1, CLAIMS + 1):
        ann.wait_until_idle()
        claim_id = ann.claim_set()
        ann.break_connection()
        result = bob.wait_for_answer(claim_id)
        assert isinstance(result, wire.ClaimResult)
        assert (result.valid, result.player.score) == (True, points)
        ann.rejoin()
    assert ann.score == CLAIMS


def test_claim_counts_if_the_player_leaves_after_it(clients: Clients) -> None:
    ann, bob = clients.pair()
    claim_id = ann.claim_set()
    ann.leave()
    result = bob.wait_for_answer(claim_id)
    assert isinstance(result, wire.ClaimResult)
    assert result.valid
    ended = bob.wait_for(wire.MatchEnded)
    assert ended.winner_seat == bob.seat
    scores = {line.player.user_id: line.player.score for line in ended.standings}
    assert scores == {ann.client.user_id: 1, bob.client.user_id: 0}
