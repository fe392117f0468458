"""Joins: seats, rejections with their reasons, spectators, invitations, several matches on one socket."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from demo.client.vocabulary import Op, Reason
from tests.support.clients import JOIN_REJECTED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from demo.client.nakama_client import NakamaClient
    from demo.client.player import Player
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

USERS = 20
SEED = 4711
"""The first board of this deck has a Set, so that there is no expansion."""


def join_error(clients: Clients, match_id: str, metadata: Mapping[str, str] | None = None) -> str:
    """Join as a new user and return the error text."""
    with pytest.raises(NakamaError) as error:
        clients.join(match_id, metadata=metadata)
    assert error.value.code == JOIN_REJECTED
    return error.value.reason


@pytest.mark.thread(12, 13)
@pytest.mark.fault("F19")
def test_rejected_join_returns_the_reason(clients: Clients) -> None:
    spectate = {"spectate": "true"}
    match_id = clients.create_match(allowSpectators=False, timeLimitSeconds=3, reconnectWindowSeconds=3)
    assert join_error(clients, match_id, spectate) == "spectators not allowed"
    one, late_user = clients.join(match_id), clients.user()
    disconnected = clients.join(clients.create_match(allowSpectators=False))
    disconnected.break_connection()
    assert clients.join(disconnected.match_id).sync().game == 0
    assert join_error(clients, disconnected.match_id) == "match full"
    two = clients.join(match_id, late_user)
    assert join_error(clients, match_id) == "match already started"
    two.wait_for(wire.MatchEnded)
    assert join_error(clients, match_id) == "match over"
    assert join_error(clients, match_id, spectate) == "match over"
    one.leave()


@pytest.mark.thread(12)
@pytest.mark.parametrize(
    "metadata",
    [{}, {"spectate": "false"}, {"unknown": "x"}, {"v": "9" * 2000}, {"": ""}],
    ids=["none", "no", "unknown", "large", "nameless"],
)
def test_join_without_spectate_metadata_gets_a_seat(clients: Clients, metadata: dict[str, str]) -> None:
    player = clients.join(clients.create_match(), metadata=metadata)
    assert player.sync().your_seats == [0]


def test_error_names_the_invalid_join_metadata(clients: Clients) -> None:
    text = "metadata spectate is 'no': allowed are true and false"
    assert join_error(clients, clients.create_match(), {"spectate": "no"}) == text


@pytest.mark.thread(13)
def test_concurrent_joins_fill_exactly_two_seats(clients: Clients) -> None:
    match_id = clients.create_match(allowSpectators=False)
    users = [clients.user() for _ in range(USERS)]
    with ThreadPoolExecutor(USERS) as pool:
        results = list(pool.map(lambda user: player_or_error(clients, match_id, user), users))
    players = [player for player in results if not isinstance(player, str)]
    assert sorted(seat for player in players for seat in player.sync().your_seats) == [0, 1]
    errors = {error for error in results if isinstance(error, str)}
    assert errors <= {"match full", "match already started"}


def player_or_error(clients: Clients, match_id: str, user: NakamaClient) -> Player | str:
    """Join, and return the player or the error text."""
    try:
        return clients.join(match_id, user)
    except NakamaError as error:
        return error.reason


@pytest.mark.fault("F19")
def test_spectator_before_the_start_takes_no_seat(clients: Clients) -> None:
    match_id = clients.create_match(maxPlayers=2)
    spectator = clients.join(match_id, metadata={"spectate": "true"})
    assert spectator.sync().your_seats == []
    players = [clients.join(match_id) for _ in range(2)]
    assert [player.sync().your_seats for player in players] == [[0], [1]]
    assert spectator.wait_for(wire.MatchStarted).game == 1


def test_spectator_receives_everything_and_cannot_act(clients: Clients) -> None:
    player, _ = clients.pair()
    spectator = clients.join(player.match_id)
    assert spectator.sync().your_seats == []
    for op_code, payload in ((Op.CLAIM, b'{"claimId": "a", "cardIds": [0, 1, 2]}'), (Op.REMATCH, b"{}")):
        spectator.send(op_code, payload)
        assert spectator.wait_for(wire.ClaimRejected).reason == Reason.SPECTATOR
    result = player.take_set()
    assert spectator.wait_for(wire.ClaimResult) == result
    spectator.sync()


def test_private_match_requires_its_invitation(clients: Clients) -> None:
    options = {"private": True}
    creator = clients.user()
    created = creator.rpc("set_create_match", options)
    stranger = clients.user()
    assert stranger.rpc("set_find_match", options)["matchId"] != created["matchId"]
    for metadata in ({}, {"invitation": "guessed"}):
        with pytest.raises(NakamaError, match="invitation needed"):
            clients.join(created["matchId"], stranger, metadata)
    invitation = {"invitation": created["invitation"]}
    players = [clients.join(created["matchId"], user, invitation) for user in (creator, stranger)]
    assert [player.sync().your_seats for player in players] == [[0], [1]]


def test_two_matches_on_one_socket_stay_separate(clients: Clients) -> None:
    first, other = clients.pair(seed=SEED)
    second = clients.create_match(seed=SEED)
    first._socket.join_match(second)
    assert clients.join(second).sync().your_seats == [1]
    messages: list[tuple[str, int]] = []
    while (second, Op.MATCH_STARTED) not in messages:
        data = first._socket.receive()
        messages.append((data.match_id, data.op_code))
    assert messages[0] == (second, Op.SNAPSHOT)
    assert {match_id for match_id, _ in messages} == {second}
    other.leave()
    assert first.wait_for(wire.MatchEnded).winner_seat == 0
