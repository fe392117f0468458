from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.nakama_socket import NakamaError
from demo.vocabulary import Change, End, Phase, Reason, Status

if TYPE_CHECKING:
    from demo.player import Player
    from tests.nakama.conftest import Room

pytestmark = pytest.mark.nakama

JOIN_REJECTED = 5


def change_of(player: Player, change: Change) -> wire.PlayerChanged:
    return player.wait_for(wire.PlayerChanged, lambda told: told.change == change)


def score_one(player: Player) -> None:
    player.wait_until_idle()
    answer = player.verdict(player.claim_set())
    assert isinstance(answer, wire.ClaimResult)
    assert answer.valid


@pytest.mark.fault("F20")
def test_a_lost_player_comes_back_to_the_same_seat_with_the_same_score(room: Room) -> None:
    one, other = room.two()
    score_one(one)
    seat = one.seat
    one.drop()
    lost = change_of(other, Change.DISCONNECTED).player
    assert (lost.seat, lost.status) == (seat, Status.DISCONNECTED)
    assert lost.reconnect_deadline_ms is not None
    one.rejoin()
    assert change_of(other, Change.RECONNECTED).player.status == Status.CONNECTED
    assert (one.seat, one.score) == (seat, 1)
    score_one(one)
    other.sync()
    assert other.table.players[seat].score == 2


def test_a_lost_player_who_stays_away_is_out_and_the_other_wins(room: Room) -> None:
    one, other = room.two(reconnectWindowSeconds=1)
    seat = other.seat
    one.drop()
    assert change_of(other, Change.FORFEITED).player.status == Status.FORFEITED
    ended = other.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.winner_seat) == (End.LAST_PLAYER_STANDING, seat)


def test_leaving_on_purpose_forfeits_at_once_and_the_other_wins(room: Room) -> None:
    one, other = room.two()
    score_one(one)
    one.leave()
    assert change_of(other, Change.FORFEITED).player.score == 1
    ended = other.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.winner_seat) == (End.LAST_PLAYER_STANDING, other.seat)


@pytest.mark.fault("F21")
def test_the_same_user_on_a_new_socket_takes_the_seat_over(room: Room) -> None:
    one, other = room.two()
    score_one(one)
    again = room.sit(one.match_id, one.client)
    assert again.seat == one.seat
    one.drop()
    score_one(again)
    told = other.sync()
    assert [player.status for player in told.players] == [Status.CONNECTED, Status.CONNECTED]
    assert told.players[again.seat].score == 2


def test_a_third_user_watches_and_may_not_claim(room: Room) -> None:
    one, _ = room.two()
    watcher = room.sit(one.match_id)
    seen = watcher.sync()
    assert (seen.your_seats, seen.phase) == ([], Phase.BOARD_IDLE)
    answer = watcher.verdict(watcher.claim_set())
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.SPECTATOR
    score_one(one)
    watcher.wait_for(wire.ClaimResult)
    watcher.sync()
    assert watcher.table.checked == 2


def test_where_nobody_may_watch_a_third_user_is_refused(room: Room) -> None:
    one, _ = room.two(allowSpectators=False)
    with pytest.raises(NakamaError) as refused:
        room.sit(one.match_id)
    assert refused.value.code == JOIN_REJECTED


def test_a_player_who_has_forfeited_watches_the_rest(room: Room) -> None:
    match_id = room.match(maxPlayers=3, minPlayers=3)
    players = [room.sit(match_id) for _ in range(3)]
    for player in players:
        player.wait_for(wire.MatchStarted)
    players[0].leave()
    change_of(players[1], Change.FORFEITED)
    players[0].rejoin()
    answer = players[0].verdict(players[0].claim_set())
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.FORFEITED
