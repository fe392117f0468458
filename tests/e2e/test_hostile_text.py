"""Text that the database cannot store, and access to records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from demo.client.vocabulary import Op, Reason
from tests.e2e.results import wait_for_entry, wait_for_record

if TYPE_CHECKING:
    from demo.client.player import Player
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

UNSTORABLE = {
    "NUL": r"a\u0000b",
    "half a surrogate pair": r"a\ud800b",
    "a control character": r"a\u0007b",
    "a zero-width space": r"\u200b",
}
SOCKET_CODE = 7
"""Nakama's code of all errors of RPCs over a socket."""


def finish_match(room: Room, claim_id: str) -> tuple[Player, Player, wire.MatchEnded, wire.ClaimRejected]:
    """Play a match whose loser sends a malformed claim with this id (as JSON text).

    Returns:
        The winner, the loser, the end, and the answer to that claim.
    """
    winner, loser = room.two()
    for player in (winner, loser):
        player.wait_until_idle()
        player.wait_for_answer(player.claim_set())
    loser.send(Op.CLAIM, f'{{"claimId": "{claim_id}", "cardIds": [0, 0, 0]}}'.encode())
    rejected = loser.wait_for(wire.ClaimRejected)
    loser.leave()
    return winner, loser, winner.wait_for(wire.MatchEnded), rejected


@pytest.mark.fault("F4")
@pytest.mark.parametrize("claim_id", UNSTORABLE.values(), ids=UNSTORABLE.keys())
def test_unstorable_claim_id_does_not_block_the_record(room: Room, claim_id: str) -> None:
    winner, _, ended, rejected = finish_match(room, claim_id)
    assert (rejected.reason, rejected.op_code, rejected.claim_id) == (Reason.MALFORMED, Op.CLAIM, "")
    assert rejected.message.startswith("claimId is ")
    assert wait_for_entry(winner.client, "set_wins") == (1, 0)
    assert wait_for_record(winner.client, ended.record_key)["results"]["winnerSeat"] == 0


@pytest.mark.parametrize("name", UNSTORABLE.values(), ids=UNSTORABLE.keys())
def test_unstorable_local_name_is_rejected(room: Room, name: str) -> None:
    options = f'{{"mode": "PASS_AND_PLAY", "localPlayers": ["Ann", "{name}"]}}'
    with pytest.raises(NakamaError, match=r"^INVALID_ARGUMENT: localPlayers is .* not allowed") as error:
        room.user().rpc("set_create_match", options)
    assert "\\" in error.value.reason, "the error text escapes the character"


def test_clients_cannot_list_records(room: Room) -> None:
    winner, loser, ended, _ = finish_match(room, "plain")
    wait_for_record(winner.client, ended.record_key)
    for user in (winner.client, loser.client, room.user()):
        assert user.listed_objects("set_matches") == []


def test_record_needs_its_exact_key(room: Room) -> None:
    winner, _, ended, _ = finish_match(room, "plain")
    wait_for_record(winner.client, ended.record_key)
    wrong_key = ended.record_key[:-1] + ("0" if ended.record_key[-1] != "0" else "1")
    assert room.user().record(wrong_key) is None
    malformed: list[dict[str, Any]] = [
        {},
        {"recordKey": winner.match_id},
        {"recordKey": f"{winner.match_id}.1"},
    ]
    for payload in malformed:
        with pytest.raises(NakamaError, match=r"^INVALID_ARGUMENT: payload must be"):
            room.user().rpc("set_record", payload)


def test_record_contains_no_usernames(room: Room) -> None:
    winner, loser, ended, _ = finish_match(room, "plain")
    record = json.dumps(wait_for_record(winner.client, ended.record_key))
    for user in (winner.client, loser.client):
        assert user.username not in record
        assert user.user_id in record


def test_error_text_begins_with_the_code_on_http_and_socket(room: Room) -> None:
    user = room.user()
    socket = user.connect()
    room.cleanup.callback(socket.close)
    for call in (user.rpc, socket.rpc):
        with pytest.raises(NakamaError, match=r"^INVALID_ARGUMENT: maxPlayers is 9") as error:
            call("set_find_match", {"maxPlayers": 9})
    assert error.value.code == SOCKET_CODE
