"""Text of players that a database cannot store harms nobody, and records are read by their key only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from demo import messages as wire
from demo.nakama_socket import NakamaError
from demo.vocabulary import Op, Reason
from tests.modes.results import entry_of, record_of

if TYPE_CHECKING:
    from demo.player import Player
    from tests.nakama.conftest import Room

pytestmark = pytest.mark.nakama

UNSTORABLE = {
    "NUL": r"a\u0000b",
    "half a surrogate pair": r"a\ud800b",
    "a control character": r"a\u0007b",
    "a zero-width space": r"\u200b",
}
SOCKET_CODE = 7
"""Nakama's code for every error of an RPC over a socket."""


def finished(room: Room, claim_id: str) -> tuple[Player, Player, wire.MatchEnded, wire.ClaimRejected]:
    """A match whose loser sent a malformed claim under this id (as JSON), and the answer to it."""
    winner, loser = room.two()
    for player in (winner, loser):
        player.wait_until_idle()
        player.verdict(player.claim_set())
    loser.send(Op.CLAIM, f'{{"claimId": "{claim_id}", "cardIds": [0, 0, 0]}}'.encode())
    rejected = loser.wait_for(wire.ClaimRejected)
    loser.leave()
    return winner, loser, winner.wait_for(wire.MatchEnded), rejected


@pytest.mark.fault("F4")
@pytest.mark.parametrize("claim_id", UNSTORABLE.values(), ids=UNSTORABLE.keys())
def test_a_losers_claim_id_cannot_block_record_or_win(room: Room, claim_id: str) -> None:
    winner, _, ended, rejected = finished(room, claim_id)
    assert (rejected.reason, rejected.op_code, rejected.claim_id) == (Reason.MALFORMED, Op.CLAIM, "")
    assert rejected.message.startswith("claimId is ")
    assert entry_of(winner.client, "set_wins", waiting=True) == (1, 0)
    assert record_of(winner.client, ended.record_key)["results"]["winnerSeat"] == 0


@pytest.mark.parametrize("name", UNSTORABLE.values(), ids=UNSTORABLE.keys())
def test_an_unstorable_local_name_is_refused(room: Room, name: str) -> None:
    options = f'{{"mode": "PASS_AND_PLAY", "localPlayers": ["Ann", "{name}"]}}'
    with pytest.raises(NakamaError, match=r"^INVALID_ARGUMENT: localPlayers is .* not allowed") as refused:
        room.user().rpc("set_create_match", options)
    assert "\\" in refused.value.reason, "the character is shown as an escape"


def test_no_client_can_list_records(room: Room) -> None:
    winner, loser, ended, _ = finished(room, "plain")
    record_of(winner.client, ended.record_key)
    for user in (winner.client, loser.client, room.user()):
        assert user.listed_objects("set_matches") == []


def test_a_record_is_read_by_its_exact_key_only(room: Room) -> None:
    winner, _, ended, _ = finished(room, "plain")
    record_of(winner.client, ended.record_key)
    guess = ended.record_key[:-1] + ("0" if ended.record_key[-1] != "0" else "1")
    assert room.user().record(guess) is None
    wrong: list[dict[str, Any]] = [{}, {"recordKey": winner.match_id}, {"recordKey": f"{winner.match_id}.1"}]
    for payload in wrong:
        with pytest.raises(NakamaError, match=r"^INVALID_ARGUMENT: payload must be"):
            room.user().rpc("set_record", payload)


def test_a_record_holds_no_names(room: Room) -> None:
    winner, loser, ended, _ = finished(room, "plain")
    record = json.dumps(record_of(winner.client, ended.record_key))
    for user in (winner.client, loser.client):
        assert user.username not in record
        assert user.user_id in record


def test_errors_begin_with_a_token_on_both_transports(room: Room) -> None:
    user = room.user()
    socket = user.connect()
    room.cleanup.callback(socket.close)
    for call in (user.rpc, socket.rpc):
        with pytest.raises(NakamaError, match=r"^INVALID_ARGUMENT: maxPlayers is 9") as refused:
            call("set_find_match", {"maxPlayers": 9})
    assert refused.value.code == SOCKET_CODE
