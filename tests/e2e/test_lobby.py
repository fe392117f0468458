"""Finding and creating matches: options, reservations and limits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from tests.support.clients import INVALID_ARGUMENT, ONLINE, RESOURCE_EXHAUSTED, options_of

if TYPE_CHECKING:
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

MATCHES_PER_USER = 8
USERS = 20


@pytest.mark.thread(6)
@pytest.mark.parametrize("seats", [2, 3])
def test_concurrent_searches_fill_each_match_before_the_next(clients: Clients, seats: int) -> None:
    options = options_of(ONLINE, maxPlayers=seats, timeLimitSeconds=5000 + seats)
    users = [clients.user() for _ in range(USERS)]
    with ThreadPoolExecutor(USERS) as pool:
        answers = list(pool.map(lambda user: user.rpc("set_find_match", options), users))
    found = [answer["matchId"] for answer in answers]
    sizes = sorted(found.count(match_id) for match_id in set(found))
    full, rest = divmod(USERS, seats)
    assert sizes == sorted([seats] * full + [rest] * bool(rest))
    assert sum(answer["created"] for answer in answers) == len(sizes)
    players = [clients.join(match_id, user) for match_id, user in zip(found, users, strict=True)]
    for player in players:
        if found.count(player.match_id) == seats:
            player.wait_for(wire.MatchStarted)


def test_search_finds_only_matches_with_equal_options(clients: Clients) -> None:
    one, other, third = clients.user(), clients.user(), clients.user()
    first = one.rpc("set_find_match", {"timeLimitSeconds": 1111})
    assert other.rpc("set_find_match", {"timeLimitSeconds": 2222})["matchId"] != first["matchId"]
    assert one.rpc("set_find_match", {"timeLimitSeconds": 1111}) == {
        "matchId": first["matchId"],
        "created": False,
    }
    equal = {"mode": "ONLINE", "minPlayers": 2, "timeLimitSeconds": 1111}
    assert third.rpc("set_find_match", equal)["matchId"] == first["matchId"]


def test_other_users_cannot_take_a_reserved_seat(clients: Clients) -> None:
    options = {"timeLimitSeconds": 4444, "allowSpectators": False}
    users = [clients.user() for _ in range(2)]
    (match_id,) = {user.rpc("set_find_match", options)["matchId"] for user in users}
    with pytest.raises(NakamaError, match="match full"):
        clients.join(match_id)
    for player in [clients.join(match_id, user) for user in users]:
        player.wait_for(wire.MatchStarted)


def test_user_cannot_be_in_more_than_eight_matches(clients: Clients) -> None:
    user = clients.user()
    for number in range(MATCHES_PER_USER):
        clients.join(user.rpc("set_create_match", {"timeLimitSeconds": 100 + number})["matchId"], user)
    with pytest.raises(NakamaError, match="RESOURCE_EXHAUSTED: you are in 8 matches") as error:
        user.rpc("set_create_match", {})
    assert error.value.code == RESOURCE_EXHAUSTED
    with pytest.raises(NakamaError, match="8 matches"):
        clients.join(clients.create_match(maxPlayers=3), user)


@pytest.mark.thread(7)
def test_client_cannot_create_a_relayed_match(clients: Clients) -> None:
    socket = clients.user().connect()
    clients.cleanup.callback(socket.close)
    with pytest.raises(NakamaError):
        socket.create_relayed_match()


@pytest.mark.thread(11)
@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        ({"maxPlayers": 9}, r"^INVALID_ARGUMENT: maxPlayers is 9"),
        ({"animationMs": {"spin": 1}}, "spin"),
        (r'{"mode": "PASS_AND_PLAY", "localPlayers": ["Ann", "a\u0000b"]}', r"localPlayers is .*a\\"),
        ("[]", "payload must be a JSON object"),
        ("x" * 5000, "payload"),
    ],
    ids=["value", "name", "text", "type", "length"],
)
def test_error_names_the_invalid_option(clients: Clients, payload: dict[str, Any] | str, reason: str) -> None:
    for rpc in ("set_create_match", "set_find_match"):
        with pytest.raises(NakamaError, match=reason) as error:
            clients.user().rpc(rpc, payload)
        assert error.value.code == INVALID_ARGUMENT


def test_error_text_begins_with_the_code_on_a_socket(clients: Clients) -> None:
    socket = clients.user().connect()
    clients.cleanup.callback(socket.close)
    with pytest.raises(NakamaError, match=r"^INVALID_ARGUMENT: maxPlayers is 9"):
        socket.rpc("set_find_match", {"maxPlayers": 9})
