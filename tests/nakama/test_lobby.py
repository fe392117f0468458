from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.nakama_socket import NakamaError
from demo.vocabulary import End

if TYPE_CHECKING:
    from demo.nakama_client import NakamaClient
    from tests.nakama.conftest import Room

pytestmark = pytest.mark.nakama

PERMISSION_DENIED = 7
LABEL_FIELDS = {"game", "mode", "key", "open", "players", "seats", "phase"}
RESOURCE_EXHAUSTED = 8
MATCHES_PER_USER = 8
LOOK_EVERY_S = 0.25


def is_listed(user: NakamaClient, match_id: str) -> bool:
    return any(match["match_id"] == match_id for match in user.matches())


def test_tables_with_other_options_are_not_found(room: Room) -> None:
    first = room.user().rpc("set_find_match", {"timeLimitSeconds": 1111})
    second = room.user().rpc("set_find_match", {"timeLimitSeconds": 2222})
    assert first["matchId"] != second["matchId"]


def test_one_user_who_asks_twice_gets_the_same_match(room: Room) -> None:
    user = room.user()
    options = {"timeLimitSeconds": 3333}
    first = user.rpc("set_find_match", options)
    assert user.rpc("set_find_match", options) == {"matchId": first["matchId"], "created": False}


def test_defaults_written_out_are_the_same_options(room: Room) -> None:
    first = room.user().rpc("set_find_match", {"maxPlayers": 2, "penalty": "PENALTY_POINT"})
    second = room.user().rpc("set_find_match", {"mode": "ONLINE", "penalty": "POINT", "minPlayers": 2})
    assert first["matchId"] == second["matchId"]


def test_a_reserved_seat_cannot_be_taken_by_others(room: Room) -> None:
    options = {"timeLimitSeconds": 4444, "allowSpectators": False}
    invited = [room.user() for _ in range(2)]
    (match_id,) = {user.rpc("set_find_match", options)["matchId"] for user in invited}
    with pytest.raises(NakamaError, match="match full"):
        room.sit(match_id)
    for player in [room.sit(match_id, user) for user in invited]:
        player.wait_for(wire.MatchStarted)


def test_a_spectator_who_looks_for_a_match_gets_a_seat_in_another(room: Room) -> None:
    options = {"timeLimitSeconds": 5555}
    players = [room.user() for _ in range(2)]
    (watched,) = {user.rpc("set_find_match", options)["matchId"] for user in players}
    for user in players:
        room.sit(watched, user)
    watcher = room.sit(watched)
    found = watcher.client.rpc("set_find_match", options)
    assert found["matchId"] != watched
    assert room.sit(found["matchId"], watcher.client).sync().your_seats == [0]


def test_a_private_match_admits_only_with_its_invitation(room: Room) -> None:
    options = {"private": True}
    creator = room.user()
    created = creator.rpc("set_create_match", options)
    stranger = room.user()
    assert stranger.rpc("set_find_match", options)["matchId"] != created["matchId"]
    for metadata in ({}, {"invitation": "guessed"}):
        with pytest.raises(NakamaError, match="invitation needed"):
            room.sit(created["matchId"], stranger, metadata)
    invitation = {"invitation": created["invitation"]}
    seated = [room.sit(created["matchId"], user, invitation) for user in (creator, stranger)]
    assert [player.sync().your_seats for player in seated] == [[0], [1]]


def test_one_user_cannot_occupy_many_matches(room: Room) -> None:
    user = room.user()
    for number in range(MATCHES_PER_USER):
        room.sit(user.rpc("set_create_match", {"timeLimitSeconds": 100 + number})["matchId"], user)
    with pytest.raises(NakamaError, match="RESOURCE_EXHAUSTED: you are in 8 matches") as refused:
        user.rpc("set_create_match", {})
    assert refused.value.code == RESOURCE_EXHAUSTED
    with pytest.raises(NakamaError, match="8 matches"):
        room.sit(room.match(maxPlayers=3), user)


def test_players_may_not_signal(room: Room) -> None:
    match_id = room.match()
    with pytest.raises(NakamaError) as refused:
        room.user().rpc("set_signal", {"matchId": match_id, "cmd": "close"})
    assert refused.value.code == PERMISSION_DENIED


def test_the_label_says_what_a_lobby_needs_and_no_more(room: Room) -> None:
    match_id = room.match(maxPlayers=3, minPlayers=2)
    player = room.sit(match_id)
    user = room.user()
    while not is_listed(user, match_id):
        time.sleep(LOOK_EVERY_S)
    label = json.loads(next(match["label"] for match in user.matches() if match["match_id"] == match_id))
    assert set(label) == LABEL_FIELDS
    assert (label["game"], label["open"], label["seats"]) == ("set", 1, 3)
    player.leave()


def test_a_match_that_everybody_has_left_is_gone_from_the_list(room: Room) -> None:
    one, other = room.two()
    user = room.user()
    one.leave()
    assert other.wait_for(wire.MatchEnded).reason == End.LAST_PLAYER_STANDING
    other.leave()
    while is_listed(user, one.match_id):
        time.sleep(LOOK_EVERY_S)
