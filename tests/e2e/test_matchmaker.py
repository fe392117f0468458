"""Matches from Nakama's matchmaker: tickets with options, and tickets of other games."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from tests.support.clients import options_of
from tests.support.tickets import TicketSocket

if TYPE_CHECKING:
    from demo.client.nakama_client import NakamaClient
    from demo.stack.native import NativeStack
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

GAME = {"game": "set"}
OTHER_GAME = {"game": "another"}
NO_MATCH_WITHIN_S = 0.3


Searcher = tuple["NakamaClient", TicketSocket]
"""A user and a socket for tickets."""


@pytest.fixture
def searchers(clients: Clients) -> list[Searcher]:
    """Three users with sockets for the matchmaker."""
    return [new_searcher(clients) for _ in range(3)]


def new_searcher(clients: Clients) -> Searcher:
    user = clients.user()
    socket = TicketSocket(user.socket_url)
    clients.cleanup.callback(socket.close)
    return user, socket


def wait_for_matches(searchers: list[Searcher]) -> list[dict[str, Any]]:
    """Wait until every ticket is matched."""
    return [socket.wait_for_event("matchmaker_matched") for _, socket in searchers]


@pytest.mark.thread(11)
def test_matched_tickets_reserve_seats_in_one_match(clients: Clients, searchers: list[Searcher]) -> None:
    options = options_of("ONLINE", maxPlayers=3, timeLimitSeconds=1234, allowSpectators=False)
    for _, socket in searchers:
        socket.add_ticket(3, {**GAME, "options": json.dumps(options)})
    answers = wait_for_matches(searchers)
    assert {"token" in answer for answer in answers} == {False}
    (match_id,) = {answer["match_id"] for answer in answers}
    with pytest.raises(NakamaError, match="match full"):
        clients.join(match_id)
    players = [clients.join(match_id, user) for user, _ in searchers]
    started = [player.wait_for(wire.MatchStarted) for player in players]
    assert {message.options.time_limit_seconds for message in started} == {1234}
    assert {player.client.user_id for player in players} == {seat.user_id for seat in started[0].players}


def test_only_tickets_with_equal_options_are_matched(clients: Clients, searchers: list[Searcher]) -> None:
    _, other_game = new_searcher(clients)
    other_game.add_ticket(2, OTHER_GAME)
    for limit, (_, socket) in zip([31, 32, 31], searchers, strict=True):
        socket.add_ticket(2, {**GAME, "options": json.dumps({"timeLimitSeconds": limit})})
    wait_for_matches([searchers[0], searchers[2]])
    for socket in (other_game, searchers[1][1]):
        with pytest.raises(TimeoutError):
            socket.wait_for_event("matchmaker_matched", within_s=NO_MATCH_WITHIN_S)


def test_ticket_with_unsuitable_options_is_rejected(searchers: list[Searcher]) -> None:
    options = {"options": '{"maxPlayers": 2}'}
    with pytest.raises(NakamaError, match="INVALID_ARGUMENT: the maximum count is 3: allowed are up to 2"):
        searchers[0][1].add_ticket(3, {**GAME, **options})


def test_ticket_is_rejected_during_an_outage(searchers: list[Searcher], stoppable_stack: NativeStack) -> None:
    stoppable_stack.kill_rules()
    with pytest.raises(NakamaError, match="UNAVAILABLE"):
        searchers[0][1].add_ticket(2, GAME)


@pytest.mark.thread(7)
def test_token_of_another_game_creates_no_relayed_match(searchers: list[Searcher]) -> None:
    pair = searchers[:2]
    for _, socket in pair:
        socket.add_ticket(2, OTHER_GAME)
    for _, socket in pair:
        with pytest.raises(NakamaError, match="not allowed here"):
            socket.join_token(socket.wait_for_event("matchmaker_matched")["token"])
