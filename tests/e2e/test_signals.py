"""Signals of other servers to a match, and their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from demo.client.vocabulary import End
from tests.support.clients import (
    INVALID_ARGUMENT,
    NOT_FOUND,
    PERMISSION_DENIED,
    rpc_as_server,
    wait_until_unlisted,
)

if TYPE_CHECKING:
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama


@pytest.mark.thread(5)
def test_server_can_inspect_and_close_a_match(clients: Clients) -> None:
    players = clients.pair()
    players[0].take_set()

    def signal(cmd: str) -> dict[str, Any]:
        return rpc_as_server(clients.stack, "set_signal", {"matchId": players[0].match_id, "cmd": cmd})

    snapshot = signal("snapshot")
    assert (snapshot["phase"], snapshot["yourSeats"]) == ("PHASE_BOARD_IDLE", [])
    assert [player["score"] for player in snapshot["players"]] == [1, 0]
    assert not {"deck", "seed", "chance"} & snapshot.keys()
    assert "allowed: snapshot, close" in signal("dance")["error"]
    assert signal("close") == {"closed": True}
    assert {player.wait_for(wire.MatchEnded).reason for player in players} == {End.TERMINATED}
    wait_until_unlisted(players[0].client, players[0].match_id)
    with pytest.raises(NakamaError) as error:
        signal("snapshot")
    assert error.value.code == NOT_FOUND


@pytest.mark.thread(5)
@pytest.mark.fault("F7")
@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ("", INVALID_ARGUMENT),
        ({"matchId": "x", "cmd": "close"}, INVALID_ARGUMENT),
        ({"matchId": "00000000-0000-4000-8000-000000000000.set", "cmd": "close"}, NOT_FOUND),
    ],
)
def test_invalid_signal_returns_a_specific_error_code(
    clients: Clients, payload: dict[str, Any] | str, code: int
) -> None:
    with pytest.raises(NakamaError) as error:
        rpc_as_server(clients.stack, "set_signal", payload)
    assert error.value.code == code


@pytest.mark.thread(5)
def test_player_cannot_send_signals(clients: Clients) -> None:
    player, _ = clients.pair()
    for cmd in ("snapshot", "close"):
        with pytest.raises(NakamaError) as error:
            player.client.rpc("set_signal", {"matchId": player.match_id, "cmd": cmd})
        assert error.value.code == PERMISSION_DENIED
    player.take_set()
