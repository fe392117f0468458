"""Who comes, goes and comes back, in every mode."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo import postgres
from demo.vocabulary import Change, End, Reason, Status
from tests.modes.party import DAILY, LOCAL, ONLINE, SINGLE, Place, each_mode, party, places_of

if TYPE_CHECKING:
    from demo.nakama_client import NakamaClient
    from demo.player import Player
    from demo.stack import NativeStack
    from tests.native.room import Room

pytestmark = pytest.mark.nakama

ALONE = (SINGLE, LOCAL, DAILY)
LOOK_EVERY_S = 0.1
RECORD_OF = "SELECT value FROM storage WHERE collection = 'set_matches' AND value->>'matchId' = '{}'"


def wait_until_gone(user: NakamaClient, match_id: str) -> None:
    while any(match["match_id"] == match_id for match in user.matches()):
        time.sleep(LOOK_EVERY_S)


def tellings(place: Place, seats: list[int]) -> list[tuple[int, int]]:
    players = place.player.sync().players
    return [(players[seat].score, players[seat].invalid_attempts) for seat in seats]


@pytest.mark.fault("F20", "F21")
@each_mode("coming back")
def test_a_lost_connection_keeps_seats_scores_and_claims(room: Room, mode: str) -> None:
    seated = party(room, mode)
    place, host = seated.places[0], seated.host
    place.take_set()
    place.err()
    seats = host.sync().your_seats
    before = tellings(place, seats)
    host.drop()
    host.rejoin()
    seen = host.sync()
    assert seen.your_seats == seats
    assert {seen.players[seat].status for seat in seats} == {Status.CONNECTED}
    assert tellings(place, seats) == before
    assert place.take_set().player.score == before[0][0] + 1


@pytest.mark.fault("F21")
@each_mode("taking over")
def test_the_same_user_on_a_second_connection_takes_over_and_the_first_watches(room: Room, mode: str) -> None:
    seated = party(room, mode)
    old, place = seated.host, seated.places[0]
    place.take_set()
    seats = old.sync().your_seats
    new = room.sit(seated.match_id, old.client)
    assert new.sync().your_seats == seats
    assert old.sync().your_seats == []
    refused = old.verdict(place.claim(old.a_set(), "from the old one"))
    assert isinstance(refused, wire.ClaimRejected)
    assert refused.reason == Reason.SPECTATOR
    assert Place(new, seats[0]).take_set().player.score == 2
    old.drop()
    assert Place(new, seats[0]).take_set().player.score == 3
    assert not any(isinstance(heard, wire.PlayerChanged) for heard in new.heard)


@each_mode("taking over")
def test_the_old_connection_may_leave_on_purpose_without_harm(room: Room, mode: str) -> None:
    seated = party(room, mode)
    new = room.sit(seated.match_id, seated.host.client)
    seated.host.leave()
    place = places_of(new)[0]
    assert place.take_set().valid
    assert place.told.status == Status.CONNECTED


@each_mode("staying away", ONLINE)
def test_who_stays_away_too_long_is_out_and_the_last_one_wins(room: Room, mode: str) -> None:
    seated = party(room, mode, reconnectWindowSeconds=1)
    lost, other = seated.places
    other.take_set()
    lost.player.drop()
    ended = other.player.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.winner_seat) == (End.LAST_PLAYER_STANDING, other.seat)
    watching = room.sit(seated.match_id, lost.player.client)
    assert watching.sync().results is not None


def assert_abandoned(stack: NativeStack, host: Player) -> None:
    """The match is gone and its record says why; nobody was there to be told the record's key."""
    folder = stack.settings.folder / "postgres"
    while not (found := postgres.query(folder, RECORD_OF.format(host.match_id))):
        time.sleep(LOOK_EVERY_S)
    record = json.loads(found)
    assert record["results"]["reason"] == End.ABANDONED
    assert "winnerSeat" not in record["results"]
    wait_until_gone(host.client, host.match_id)


@pytest.mark.thread(4)
@each_mode("staying away", *ALONE)
def test_a_game_that_its_only_user_does_not_come_back_to_is_abandoned(
    room: Room, stack: NativeStack, mode: str
) -> None:
    seated = party(room, mode, reconnectWindowSeconds=1)
    seated.places[0].take_set()
    seated.host.drop()
    assert_abandoned(stack, seated.host)


@each_mode("leaving", ONLINE)
def test_leaving_on_purpose_makes_the_other_win_at_once(room: Room, mode: str) -> None:
    seated = party(room, mode)
    gone, other = seated.places
    gone.player.leave()
    told = other.player.wait_for(wire.PlayerChanged)
    assert (told.change, told.player.seat) == (Change.FORFEITED, gone.seat)
    ended = other.player.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.winner_seat) == (End.LAST_PLAYER_STANDING, other.seat)


@each_mode("leaving", *ALONE)
def test_a_game_that_its_only_user_leaves_is_abandoned_at_once(
    room: Room, stack: NativeStack, mode: str
) -> None:
    seated = party(room, mode)
    seated.places[0].take_set()
    seated.host.leave()
    assert_abandoned(stack, seated.host)
