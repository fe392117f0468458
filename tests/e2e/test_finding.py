"""How users find matches: the RPCs of the lobby and Nakama's matchmaker; signals of servers."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from demo.client.vocabulary import End
from tests.e2e.matches import DAILY, INSTANT, LOCAL, ONLINE, SINGLE, each_mode, options_of, start_match
from tests.e2e.tickets import TicketSocket
from tests.support.clients import HTTP_KEY, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.client.nakama_client import NakamaClient
    from demo.stack.native import NativeStack
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

INVALID_ARGUMENT = 3
NOT_FOUND = 5
PERMISSION_DENIED = 7
USERS = 20
GAME = {"game": "set"}
OTHER_GAME = {"game": "another"}
NO_MATCH_WITHIN_S = 0.3

Searcher = tuple["NakamaClient", TicketSocket]
"""A user and a socket for tickets."""


@pytest.mark.thread(6)
@pytest.mark.proves("start", ONLINE)
@pytest.mark.parametrize("seats", [2, 3, 8])
def test_concurrent_searches_fill_each_match_before_the_next(room: Room, seats: int) -> None:
    options = options_of(ONLINE, maxPlayers=seats, timeLimitSeconds=5000 + seats)
    users = [room.user() for _ in range(USERS)]
    with ThreadPoolExecutor(USERS) as pool:
        answers = list(pool.map(lambda user: user.rpc("set_find_match", options), users))
    found = [answer["matchId"] for answer in answers]
    sizes = sorted(found.count(match_id) for match_id in set(found))
    full, rest = divmod(USERS, seats)
    assert sizes == sorted([seats] * full + [rest] * bool(rest))
    assert sum(answer["created"] for answer in answers) == len(sizes)
    players = [room.sit(match_id, user) for match_id, user in zip(found, users, strict=True)]
    for player in players:
        if found.count(player.match_id) == seats:
            player.wait_for(wire.MatchStarted)


@each_mode("start", SINGLE, LOCAL, DAILY)
def test_search_in_a_mode_for_one_user_creates_a_match(room: Room, mode: str) -> None:
    found = [room.user().rpc("set_find_match", options_of(mode)) for _ in range(3)]
    assert [answer["created"] for answer in found] == [True] * 3
    assert len({answer["matchId"] for answer in found}) == 3


@pytest.fixture
def searchers(room: Room) -> list[Searcher]:
    """Three users with sockets for the matchmaker."""
    users = [room.user() for _ in range(3)]
    sockets = [TicketSocket(user.socket_url) for user in users]
    for socket in sockets:
        room.cleanup.callback(socket.close)
    return list(zip(users, sockets, strict=True))


def wait_for_matches(searchers: list[Searcher]) -> list[dict[str, Any]]:
    """Wait until every ticket is matched."""
    return [socket.wait_for_event("matchmaker_matched") for _, socket in searchers]


@pytest.mark.thread(11)
@pytest.mark.proves("start", ONLINE)
def test_matched_tickets_reserve_seats_in_one_match(room: Room, searchers: list[Searcher]) -> None:
    options = json.dumps(options_of(ONLINE, maxPlayers=3, timeLimitSeconds=1234, allowSpectators=False))
    for _, socket in searchers:
        socket.add_ticket(3, {**GAME, "options": options})
    answers = wait_for_matches(searchers)
    assert {"token" in answer for answer in answers} == {False}
    (match_id,) = {answer["match_id"] for answer in answers}
    with pytest.raises(NakamaError, match="match full"):
        room.sit(match_id)
    players = [room.sit(match_id, user) for user, _ in searchers]
    started = [player.wait_for(wire.MatchStarted) for player in players]
    assert {message.options.time_limit_seconds for message in started} == {1234}
    assert {player.client.user_id for player in players} == {seat.user_id for seat in started[0].players}


@pytest.mark.proves("start", ONLINE)
def test_tickets_without_options_get_the_default_options(room: Room, searchers: list[Searcher]) -> None:
    pair = searchers[:2]
    for _, socket in pair:
        socket.add_ticket(2, GAME)
    (match_id,) = {answer["match_id"] for answer in wait_for_matches(pair)}
    players = [room.sit(match_id, user) for user, _ in pair]
    assert players[0].wait_for(wire.MatchStarted).options.max_players == 2


@pytest.mark.proves("start", ONLINE)
def test_only_tickets_with_equal_options_are_matched(room: Room, searchers: list[Searcher]) -> None:
    other_game = TicketSocket(room.user().socket_url)
    room.cleanup.callback(other_game.close)
    other_game.add_ticket(2, OTHER_GAME)
    for limit, (_, socket) in zip([31, 32, 31], searchers, strict=True):
        socket.add_ticket(2, {**GAME, "options": json.dumps({"timeLimitSeconds": limit})})
    wait_for_matches([searchers[0], searchers[2]])
    for socket in (other_game, searchers[1][1]):
        with pytest.raises(TimeoutError):
            socket.wait_for_event("matchmaker_matched", within_s=NO_MATCH_WITHIN_S)


@pytest.mark.parametrize(
    ("properties", "reason"),
    [
        ({"options": '{"maxPlayers": 2}'}, "INVALID_ARGUMENT: the maximum count is 3: allowed are up to 2"),
        ({"options": '{"maxPlayers": 99}'}, "INVALID_ARGUMENT: maxPlayers is 99: allowed are"),
        ({"options": '{"private": true}'}, "INVALID_ARGUMENT: options with a seed, or of a private match"),
        ({"options": "["}, "INVALID_ARGUMENT: payload must be a JSON object"),
    ],
)
def test_ticket_with_unsuitable_options_is_rejected(
    searchers: list[Searcher], properties: dict[str, str], reason: str
) -> None:
    with pytest.raises(NakamaError, match=reason):
        searchers[0][1].add_ticket(3, {**GAME, **properties})


@pytest.fixture
def outage(stack: NativeStack) -> Iterator[None]:
    """Stop the rules service during the test."""
    stack.kill_rules()
    try:
        yield
    finally:
        stack.start_rules()


@pytest.mark.usefixtures("outage")
def test_ticket_is_rejected_during_an_outage(searchers: list[Searcher]) -> None:
    with pytest.raises(NakamaError, match="UNAVAILABLE"):
        searchers[0][1].add_ticket(2, GAME)


@pytest.mark.thread(7)
def test_token_of_another_game_creates_no_relayed_match(searchers: list[Searcher]) -> None:
    pair = searchers[:2]
    for _, socket in pair:
        socket.add_ticket(2, OTHER_GAME)
    for _, socket in pair:
        with pytest.raises(NakamaError, match="without a referee"):
            socket.join_token(socket.wait_for_event("matchmaker_matched")["token"])


def rpc_as_server(room: Room, name: str, payload: dict[str, Any] | str) -> dict[str, Any]:
    """Call an RPC as another server, also with an invalid payload; return the response or the error."""
    response = httpx.post(
        f"{room.stack.api_url}/v2/rpc/{name}",
        params={"http_key": HTTP_KEY, "unwrap": "true"},
        content=payload if isinstance(payload, str) else json.dumps(payload),
        trust_env=False,
    )
    return dict(response.json())


@pytest.mark.thread(5)
def test_server_can_inspect_and_close_a_match(room: Room) -> None:
    match = start_match(room, ONLINE)
    match.seats[0].take_set()

    def signal(cmd: str) -> dict[str, Any]:
        return rpc_as_server(room, "set_signal", {"matchId": match.match_id, "cmd": cmd})

    snapshot = signal("snapshot")
    assert (snapshot["phase"], snapshot["yourSeats"]) == ("PHASE_BOARD_IDLE", [])
    assert [player["score"] for player in snapshot["players"]] == [1, 0]
    assert not {"deck", "seed", "chance"} & snapshot.keys()
    assert signal("close") == {"closed": True}
    assert {ended.reason for ended in match.wait_for(wire.MatchEnded)} == {End.TERMINATED}
    assert wait_until(lambda: signal("snapshot").get("code")) == NOT_FOUND


@pytest.mark.thread(5)
@pytest.mark.fault("F7")
@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ("", INVALID_ARGUMENT),
        ("{}", INVALID_ARGUMENT),
        ({"matchId": "x", "cmd": "close"}, INVALID_ARGUMENT),
        ({"matchId": "00000000-0000-4000-8000-000000000000.set", "cmd": "close"}, NOT_FOUND),
        ({"matchId": 1, "cmd": "close"}, INVALID_ARGUMENT),
    ],
)
def test_invalid_signal_returns_a_specific_error_code(
    room: Room, payload: dict[str, Any] | str, code: int
) -> None:
    assert rpc_as_server(room, "set_signal", payload)["code"] == code


def test_error_for_an_unknown_signal_lists_the_signals(room: Room) -> None:
    match_id = room.match(animationMs=INSTANT)
    answer = rpc_as_server(room, "set_signal", {"matchId": match_id, "cmd": "dance"})
    assert "allowed: snapshot, close" in answer["error"]


@pytest.mark.thread(5)
def test_player_cannot_send_signals(room: Room) -> None:
    match = start_match(room, ONLINE)
    for cmd in ("snapshot", "close"):
        with pytest.raises(NakamaError) as error:
            match.first.client.rpc("set_signal", {"matchId": match.match_id, "cmd": cmd})
        assert error.value.code == PERMISSION_DENIED
    assert match.seats[0].take_set().valid


@each_mode("start")
def test_server_can_create_matches_of_every_mode(room: Room, mode: str) -> None:
    match_id = rpc_as_server(room, "set_create_match", options_of(mode))["matchId"]
    assert room.sit(match_id).sync().options.mode == f"MODE_{mode}"
