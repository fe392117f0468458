from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.nakama_socket import NakamaError, NakamaSocket

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.nakama_client import NakamaClient
    from demo.stack import NativeStack
    from tests.nakama.conftest import Room

pytestmark = pytest.mark.nakama

SET_TICKET = {"game": "set", "options": json.dumps({"timeLimitSeconds": 77})}

Seeker = tuple["NakamaClient", NakamaSocket]


@pytest.fixture
def seekers(room: Room) -> Iterator[list[Seeker]]:
    users = [room.user() for _ in range(2)]
    found = [(user, user.connect()) for user in users]
    yield found
    for _, socket in found:
        socket.close()


def seek(seekers: list[Seeker]) -> list[NakamaSocket]:
    for _, socket in seekers:
        socket.seek_opponents(2, SET_TICKET)
    return [socket for _, socket in seekers]


def test_matched_tickets_become_a_match_with_their_options(room: Room, seekers: list[Seeker]) -> None:
    told = [socket.news("matchmaker_matched") for socket in seek(seekers)]
    assert told[0]["match_id"] == told[1]["match_id"]
    assert "token" not in told[0]
    players = [room.sit(told[0]["match_id"], user) for user, _ in seekers]
    for player in players:
        assert player.wait_for(wire.MatchStarted).options.time_limit_seconds == 77


@pytest.mark.thread(7)
def test_without_a_referee_there_is_no_match_and_players_are_told(
    stack: NativeStack,
    seekers: list[Seeker],
) -> None:
    stack.kill_rules()
    try:
        for socket in seek(seekers):
            told = socket.news("notifications")["notifications"]
            assert [note["subject"] for note in told] == ["set_unavailable"]
    finally:
        stack.start_rules()


@pytest.mark.thread(7)
def test_nobody_makes_a_match_without_a_referee(seekers: list[Seeker]) -> None:
    for _, socket in seekers:
        with pytest.raises(NakamaError):
            socket.create_relayed_match()
