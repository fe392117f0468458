"""How players find each other: the lobby's RPCs, the matchmaker, and what guards both."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from demo import messages as wire
from demo.nakama_socket import NakamaError
from demo.vocabulary import End
from tests.modes.party import DAILY, INSTANT, LOCAL, ONLINE, SINGLE, each_mode, options_of, party
from tests.modes.tickets import TicketSocket

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.nakama_client import NakamaClient
    from demo.stack import NativeStack
    from tests.native.room import Room

pytestmark = pytest.mark.nakama

INVALID_ARGUMENT = 3
NOT_FOUND = 5
PERMISSION_DENIED = 7
UNAVAILABLE = 14
A_TICK_S = 0.05
"""A match that was closed is gone with its next tick."""
HTTP_KEY = "defaulthttpkey"
AT_ONCE = 20
GAME = {"game": "set"}
QUIET_S = 0.3


@pytest.mark.thread(6)
@pytest.mark.proves("start", ONLINE)
@pytest.mark.parametrize("seats", [2, 3, 8])
def test_twenty_at_once_find_exactly_as_many_matches_as_they_fill(room: Room, seats: int) -> None:
    options = options_of(ONLINE, maxPlayers=seats, timeLimitSeconds=5000 + seats)
    users = [room.user() for _ in range(AT_ONCE)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = [answer["matchId"] for answer in pool.map(lambda u: u.rpc("set_find_match", options), users)]
    sizes = sorted(found.count(match_id) for match_id in set(found))
    full, rest = divmod(AT_ONCE, seats)
    assert sizes == sorted([seats] * full + [rest] * bool(rest))


@each_mode("start", SINGLE, LOCAL, DAILY)
def test_who_looks_for_a_game_alone_gets_one_alone(room: Room, mode: str) -> None:
    found = [room.user().rpc("set_find_match", options_of(mode)) for _ in range(3)]
    assert [answer["created"] for answer in found] == [True] * 3
    assert len({answer["matchId"] for answer in found}) == 3


@pytest.fixture
def seekers(room: Room) -> list[tuple[NakamaClient, TicketSocket]]:
    """Three users with sockets for the matchmaker."""
    users = [room.user() for _ in range(3)]
    sockets = [TicketSocket(user) for user in users]
    for socket in sockets:
        room.cleanup.callback(socket.close)
    return list(zip(users, sockets, strict=True))


def matched(seekers: list[tuple[NakamaClient, TicketSocket]]) -> list[dict[str, Any]]:
    return [socket.wait_for("matchmaker_matched") for _, socket in seekers]


@pytest.mark.thread(11)
@pytest.mark.proves("start", ONLINE)
def test_matched_tickets_become_a_match_with_their_options_and_their_seats_kept(
    room: Room, seekers: list[tuple[NakamaClient, TicketSocket]]
) -> None:
    options = json.dumps(options_of(ONLINE, maxPlayers=3, timeLimitSeconds=1234, allowSpectators=False))
    for _, socket in seekers:
        socket.add_ticket(3, {**GAME, "options": options})
    answers = matched(seekers)
    assert {"token" in answer for answer in answers} == {False}
    (match_id,) = {answer["match_id"] for answer in answers}
    with pytest.raises(NakamaError, match="match full"):
        room.sit(match_id)
    players = [room.sit(match_id, user) for user, _ in seekers]
    started = [player.wait_for(wire.MatchStarted) for player in players]
    assert {told.options.time_limit_seconds for told in started} == {1234}
    assert {player.client.user_id for player in players} == {told.user_id for told in started[0].players}


@pytest.mark.proves("start", ONLINE)
def test_tickets_without_options_play_with_the_defaults(
    room: Room, seekers: list[tuple[NakamaClient, TicketSocket]]
) -> None:
    pair = seekers[:2]
    for _, socket in pair:
        socket.add_ticket(2, GAME)
    (match_id,) = {answer["match_id"] for answer in matched(pair)}
    players = [room.sit(match_id, user) for user, _ in pair]
    assert players[0].wait_for(wire.MatchStarted).options.max_players == 2


@pytest.mark.proves("start", ONLINE)
def test_only_tickets_with_equal_options_are_matched(
    room: Room, seekers: list[tuple[NakamaClient, TicketSocket]]
) -> None:
    foreign = TicketSocket(room.user())
    room.cleanup.callback(foreign.close)
    foreign.add_ticket(2, {"game": "another"})
    for limit, (_, socket) in zip([31, 32, 31], seekers, strict=True):
        socket.add_ticket(2, {**GAME, "options": json.dumps({"timeLimitSeconds": limit})})
    matched([seekers[0], seekers[2]])
    for socket in (foreign, seekers[1][1]):
        with pytest.raises(TimeoutError):
            socket.news("matchmaker_matched", within_s=QUIET_S)


@pytest.mark.parametrize(
    ("properties", "reason"),
    [
        ({"options": '{"maxPlayers": 2}'}, "INVALID_ARGUMENT: the maximum count is 3: allowed are up to 2"),
        ({"options": '{"maxPlayers": 99}'}, "INVALID_ARGUMENT: maxPlayers is 99: allowed are"),
        ({"options": '{"private": true}'}, "INVALID_ARGUMENT: options with a seed, or of a private match"),
        ({"options": "["}, "INVALID_ARGUMENT: payload must be a JSON object"),
    ],
)
def test_tickets_that_would_ruin_a_match_are_refused(
    seekers: list[tuple[NakamaClient, TicketSocket]], properties: dict[str, str], reason: str
) -> None:
    with pytest.raises(NakamaError, match=reason):
        seekers[0][1].add_ticket(3, {**GAME, **properties})


@pytest.fixture
def away(stack: NativeStack) -> Iterator[None]:
    """While the rules service is dead."""
    stack.kill_rules()
    try:
        yield
    finally:
        stack.start_rules()


@pytest.mark.usefixtures("away")
def test_no_ticket_is_taken_while_the_service_is_away(
    seekers: list[tuple[NakamaClient, TicketSocket]],
) -> None:
    with pytest.raises(NakamaError, match="UNAVAILABLE"):
        seekers[0][1].add_ticket(2, GAME)


@pytest.mark.thread(7)
def test_tickets_of_another_game_get_no_match_without_a_referee(
    seekers: list[tuple[NakamaClient, TicketSocket]],
) -> None:
    pair = seekers[:2]
    for _, socket in pair:
        socket.add_ticket(2, {"game": "another"})
    for _, socket in pair:
        with pytest.raises(NakamaError, match="without a referee"):
            socket.join_token(socket.wait_for("matchmaker_matched")["token"])


def from_server(room: Room, name: str, payload: dict[str, Any] | str) -> httpx.Response:
    """Call an RPC the way another server does: with the HTTP key and no user."""
    return httpx.post(
        f"{room.stack.api_url}/v2/rpc/{name}",
        params={"http_key": HTTP_KEY, "unwrap": "true"},
        content=payload if isinstance(payload, str) else json.dumps(payload),
        trust_env=False,
    )


@pytest.mark.thread(5)
def test_a_server_looks_into_a_match_and_closes_it(room: Room) -> None:
    seated = party(room, ONLINE)
    seated.places[0].take_set()
    seen = from_server(room, "set_signal", {"matchId": seated.match_id, "cmd": "snapshot"}).json()
    assert (seen["phase"], seen["yourSeats"]) == ("PHASE_BOARD_IDLE", [])
    assert [player["score"] for player in seen["players"]] == [1, 0]
    assert not {"deck", "seed", "chance"} & seen.keys()
    closed = from_server(room, "set_signal", {"matchId": seated.match_id, "cmd": "close"})
    assert closed.json() == {"closed": True}
    assert {told.reason for told in seated.everybody_hears(wire.MatchEnded)} == {End.TERMINATED}
    look = {"matchId": seated.match_id, "cmd": "snapshot"}
    while "code" not in (answer := from_server(room, "set_signal", look).json()):
        time.sleep(A_TICK_S)
    assert answer["code"] == NOT_FOUND


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
def test_a_signal_that_cannot_be_is_refused_with_a_clear_code(
    room: Room, payload: dict[str, Any] | str, code: int
) -> None:
    assert from_server(room, "set_signal", payload).json()["code"] == code


def test_an_unknown_signal_names_the_known_ones(room: Room) -> None:
    match_id = room.match(animationMs=INSTANT)
    answer = from_server(room, "set_signal", {"matchId": match_id, "cmd": "dance"}).json()
    assert "allowed: snapshot, close" in answer["error"]


@pytest.mark.thread(5)
def test_a_player_may_not_signal(room: Room) -> None:
    seated = party(room, ONLINE)
    for cmd in ("snapshot", "close"):
        with pytest.raises(NakamaError) as refused:
            seated.host.client.rpc("set_signal", {"matchId": seated.match_id, "cmd": cmd})
        assert refused.value.code == PERMISSION_DENIED
    assert seated.places[0].take_set().valid


@each_mode("start")
def test_a_server_makes_matches_of_every_mode(room: Room, mode: str) -> None:
    match_id = from_server(room, "set_create_match", options_of(mode)).json()["matchId"]
    assert room.sit(match_id).sync().options.mode == f"MODE_{mode}"
