"""Finding and creating matches: options, reservations, invitations and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError

if TYPE_CHECKING:
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

RESOURCE_EXHAUSTED = 8
MATCHES_PER_USER = 8


def test_search_does_not_find_matches_with_other_options(room: Room) -> None:
    first = room.user().rpc("set_find_match", {"timeLimitSeconds": 1111})
    second = room.user().rpc("set_find_match", {"timeLimitSeconds": 2222})
    assert first["matchId"] != second["matchId"]


def test_second_search_of_a_user_returns_the_same_match(room: Room) -> None:
    user = room.user()
    options = {"timeLimitSeconds": 3333}
    first = user.rpc("set_find_match", options)
    assert user.rpc("set_find_match", options) == {"matchId": first["matchId"], "created": False}


def test_explicit_defaults_are_equal_options(room: Room) -> None:
    first = room.user().rpc("set_find_match", {"maxPlayers": 2, "penalty": "PENALTY_POINT"})
    second = room.user().rpc("set_find_match", {"mode": "ONLINE", "penalty": "POINT", "minPlayers": 2})
    assert first["matchId"] == second["matchId"]


def test_other_users_cannot_take_a_reserved_seat(room: Room) -> None:
    options = {"timeLimitSeconds": 4444, "allowSpectators": False}
    users = [room.user() for _ in range(2)]
    (match_id,) = {user.rpc("set_find_match", options)["matchId"] for user in users}
    with pytest.raises(NakamaError, match="match full"):
        room.sit(match_id)
    for player in [room.sit(match_id, user) for user in users]:
        player.wait_for(wire.MatchStarted)


def test_search_of_a_spectator_returns_another_match(room: Room) -> None:
    options = {"timeLimitSeconds": 5555}
    players = [room.user() for _ in range(2)]
    (watched,) = {user.rpc("set_find_match", options)["matchId"] for user in players}
    for user in players:
        room.sit(watched, user)
    spectator = room.sit(watched)
    found = spectator.client.rpc("set_find_match", options)
    assert found["matchId"] != watched
    assert room.sit(found["matchId"], spectator.client).sync().your_seats == [0]


def test_private_match_requires_its_invitation(room: Room) -> None:
    options = {"private": True}
    creator = room.user()
    created = creator.rpc("set_create_match", options)
    stranger = room.user()
    assert stranger.rpc("set_find_match", options)["matchId"] != created["matchId"]
    for metadata in ({}, {"invitation": "guessed"}):
        with pytest.raises(NakamaError, match="invitation needed"):
            room.sit(created["matchId"], stranger, metadata)
    invitation = {"invitation": created["invitation"]}
    players = [room.sit(created["matchId"], user, invitation) for user in (creator, stranger)]
    assert [player.sync().your_seats for player in players] == [[0], [1]]


def test_user_cannot_be_in_more_than_eight_matches(room: Room) -> None:
    user = room.user()
    for number in range(MATCHES_PER_USER):
        room.sit(user.rpc("set_create_match", {"timeLimitSeconds": 100 + number})["matchId"], user)
    with pytest.raises(NakamaError, match="RESOURCE_EXHAUSTED: you are in 8 matches") as error:
        user.rpc("set_create_match", {})
    assert error.value.code == RESOURCE_EXHAUSTED
    with pytest.raises(NakamaError, match="8 matches"):
        room.sit(room.match(maxPlayers=3), user)


@pytest.mark.thread(7)
def test_client_cannot_create_a_relayed_match(room: Room) -> None:
    socket = room.user().connect()
    room.cleanup.callback(socket.close)
    with pytest.raises(NakamaError):
        socket.create_relayed_match()
