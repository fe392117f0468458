from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
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
AT_ONCE = 20
LOOK_EVERY_S = 0.25


def is_listed(user: NakamaClient, match_id: str) -> bool:
    return any(match["match_id"] == match_id for match in user.matches())


@pytest.mark.thread(6)
def test_twenty_clients_at_once_find_exactly_ten_matches_of_two(room: Room) -> None:
    options = {"timeLimitSeconds": 4321}
    users = [room.user() for _ in range(AT_ONCE)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda user: user.rpc("set_find_match", options), users))
    ids = [answer["matchId"] for answer in found]
    assert sorted(ids.count(match_id) for match_id in set(ids)) == [2] * (AT_ONCE // 2)
    assert sum(answer["created"] for answer in found) == AT_ONCE // 2
    seated = [room.sit(match_id, user) for match_id, user in zip(ids, users, strict=True)]
    for player in seated:
        player.wait_for(wire.MatchStarted)


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
