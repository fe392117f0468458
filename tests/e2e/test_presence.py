"""Lost connections, reconnects, second connections and leaves, in every mode."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.vocabulary import Change, End, Reason, Status
from demo.stack import postgres
from tests.e2e.matches import DAILY, LOCAL, ONLINE, SINGLE, Seat, each_mode, seats_of, start_match
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from demo.client.nakama_client import NakamaClient
    from demo.client.player import Player
    from demo.stack.native import NativeStack
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

MODES_FOR_ONE_USER = (SINGLE, LOCAL, DAILY)
RECORD_OF = "SELECT value FROM storage WHERE collection = 'set_matches' AND value->>'matchId' = '{}'"


def wait_until_unlisted(user: NakamaClient, match_id: str) -> None:
    """Wait until Nakama no longer lists a match."""
    wait_until(lambda: all(match["match_id"] != match_id for match in user.matches()))


def scores(player: Player, seats: list[int]) -> list[tuple[int, int]]:
    """Return the score and the number of invalid claims of each seat."""
    players = player.sync().players
    return [(players[seat].score, players[seat].invalid_attempts) for seat in seats]


@pytest.mark.fault("F20", "F21")
@each_mode("reconnect")
def test_lost_connection_keeps_seats_and_scores(room: Room, mode: str) -> None:
    match = start_match(room, mode)
    player, *others = match.players
    match.seats[0].take_set()
    match.seats[0].claim_non_set()
    seats = player.sync().your_seats
    before = scores(player, seats)
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
    assert scores(player, seats) == before
    assert match.seats[0].take_set().player.score == before[0][0] + 1


@pytest.mark.fault("F21")
@each_mode("second connection")
def test_second_connection_of_a_user_gets_the_seats(room: Room, mode: str) -> None:
    match = start_match(room, mode)
    old, seat = match.first, match.seats[0]
    seat.take_set()
    seats = old.sync().your_seats
    new = room.sit(match.match_id, old.client)
    assert new.sync().your_seats == seats
    assert old.sync().your_seats == []
    answer = old.wait_for_answer(seat.claim(old.first_set(), "from the old connection"))
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.SPECTATOR
    assert Seat(new, seats[0]).take_set().player.score == 2
    old.break_connection()
    assert Seat(new, seats[0]).take_set().player.score == 3
    assert not any(isinstance(message, wire.PlayerChanged) for message in new.messages)


@each_mode("second connection")
def test_leave_of_the_old_connection_keeps_the_player(room: Room, mode: str) -> None:
    match = start_match(room, mode)
    new = room.sit(match.match_id, match.first.client)
    match.first.leave()
    seat = seats_of(new)[0]
    assert seat.take_set().valid
    assert new.model.players[seat.number].status == Status.CONNECTED


@each_mode("reconnect timeout", ONLINE)
def test_reconnect_timeout_forfeits_and_the_last_player_wins(room: Room, mode: str) -> None:
    match = start_match(room, mode, reconnectWindowSeconds=1)
    lost, other = match.seats
    other.take_set()
    lost.player.break_connection()
    ended = other.player.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.winner_seat) == (End.LAST_PLAYER_STANDING, other.number)
    spectator = room.sit(match.match_id, lost.player.client)
    assert spectator.sync().results is not None


def assert_abandoned(stack: NativeStack, player: Player) -> None:
    """Check that the match has ended as abandoned.

    The record comes from the database, because no connection was left to receive its key.
    """
    folder = stack.settings.folder / "postgres"
    record = json.loads(wait_until(lambda: postgres.query(folder, RECORD_OF.format(player.match_id))))
    assert record["results"]["reason"] == End.ABANDONED
    assert "winnerSeat" not in record["results"]
    wait_until_unlisted(player.client, player.match_id)


@pytest.mark.thread(4)
@each_mode("reconnect timeout", *MODES_FOR_ONE_USER)
def test_reconnect_timeout_of_the_only_user_abandons_the_game(
    room: Room, stack: NativeStack, mode: str
) -> None:
    match = start_match(room, mode, reconnectWindowSeconds=1)
    match.seats[0].take_set()
    match.first.break_connection()
    assert_abandoned(stack, match.first)


@each_mode("leave", ONLINE)
def test_leave_forfeits_and_the_last_player_wins(room: Room, mode: str) -> None:
    match = start_match(room, mode)
    left, other = match.seats
    left.player.leave()
    changed = other.player.wait_for(wire.PlayerChanged)
    assert (changed.change, changed.player.seat) == (Change.FORFEITED, left.number)
    ended = other.player.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.winner_seat) == (End.LAST_PLAYER_STANDING, other.number)


@each_mode("leave", *MODES_FOR_ONE_USER)
def test_leave_of_the_only_user_abandons_the_game(room: Room, stack: NativeStack, mode: str) -> None:
    match = start_match(room, mode)
    match.seats[0].take_set()
    match.first.leave()
    assert_abandoned(stack, match.first)
