"""Records of games: their content, the access to them, and the replay of all records of a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from click.testing import CliRunner

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from demo.client.vocabulary import Op, Reason
from demo.stack import postgres
from match_handler.cli import main
from tests.support.clients import each_mode, wait_for_entry, wait_for_record

if TYPE_CHECKING:
    from pathlib import Path

    from demo.client.player import Player
    from demo.stack.native import NativeStack
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

UNSTORABLE = {"NUL": r"a\u0000b", "half a surrogate pair": r"a\ud800b"}
EVERY_RECORD = "SELECT json_build_array(key, value) FROM storage WHERE collection = 'set_matches'"


def finish_match(clients: Clients, claim_id: str) -> tuple[Player, Player, wire.MatchEnded, dict[str, Any]]:
    """Play a match whose loser sends a malformed claim with this id (as JSON text).

    Returns:
        The winner, the loser, the end, and the record.
    """
    winner, loser = clients.pair()
    for player in (winner, loser):
        player.take_set()
    loser.send(Op.CLAIM, f'{{"claimId": "{claim_id}", "cardIds": [0, 0, 0]}}'.encode())
    rejected = loser.wait_for(wire.ClaimRejected)
    assert (rejected.reason, rejected.op_code) == (Reason.MALFORMED, Op.CLAIM)
    loser.leave()
    ended = winner.wait_for(wire.MatchEnded)
    return winner, loser, ended, wait_for_record(clients.user(), ended.record_key)


@pytest.mark.fault("F4")
@pytest.mark.parametrize("claim_id", UNSTORABLE.values(), ids=UNSTORABLE.keys())
def test_unstorable_claim_id_does_not_block_the_record(clients: Clients, claim_id: str) -> None:
    winner, _, _, record = finish_match(clients, claim_id)
    assert record["results"]["winnerSeat"] == 0
    assert wait_for_entry(winner.client, "set_wins") == (1, 0)


def test_record_needs_its_exact_key_and_has_no_usernames(clients: Clients) -> None:
    winner, loser, ended, record = finish_match(clients, "plain")
    for user in (winner.client, loser.client):
        assert user.username not in json.dumps(record)
        assert user.user_id in json.dumps(record)
        assert user.listed_objects("set_matches") == []
    wrong_key = ended.record_key[:-1] + ("0" if ended.record_key[-1] != "0" else "1")
    assert clients.user().record(wrong_key) is None
    with pytest.raises(NakamaError, match=r"^INVALID_ARGUMENT: payload must be"):
        clients.user().rpc("set_record", {"recordKey": f"{winner.match_id}.1"})


@pytest.mark.fault("F13")
@each_mode
def test_record_equals_the_messages_to_the_players(clients: Clients, mode: str) -> None:
    players = clients.start_match(mode, timeLimitSeconds=600, penalty="TIME", timePenaltySeconds=600)
    seats = [(player, seat) for player in players for seat in player.seats]
    for player, seat in seats:
        player.take_set(seat)
    players[0].wait_until_idle()
    players[0].claim_non_set()
    ended = players[-1].wait_for(wire.MatchEnded)
    record = wait_for_record(clients.user(), ended.record_key)
    assert record["results"]["standings"] == [
        {
            "rank": line.rank,
            "seat": line.player.seat,
            "score": line.player.score,
            "setsCollected": line.player.sets_collected,
            "invalidAttempts": line.player.invalid_attempts,
        }
        for line in ended.standings
    ]
    assert (record["results"]["reason"], record["results"]["durationMs"]) == (ended.reason, ended.duration_ms)
    assert record["deck"] == ended.deck
    assert [line["kind"] for line in record["log"]] == ["claim"] * (len(seats) + 1)
    assert [player["userId"] for player in record["players"]] == [
        player.client.user_id for player, _ in seats
    ]


def replay(path: Path) -> str:
    """Replay a record and return the error, or an empty text if it replays to the same result."""
    completed = CliRunner().invoke(main, ["replay", str(path)])
    return "" if completed.exit_code == 0 else f"{path.name}: {completed.output}"


def records_of_this_run(stack: NativeStack) -> list[tuple[str, dict[str, Any]]]:
    """Return key and value of each record, from the database: clients cannot list records."""
    started_ms = 1000 * psutil.Process(stack.pids["Nakama"]).create_time()
    rows = postgres.query(stack.settings.folder / "postgres", EVERY_RECORD)
    stored = map(json.loads, rows.splitlines())
    return [(key, record) for key, record in stored if record["startedUnixMs"] >= started_ms]


@pytest.mark.fault("F13")
def test_every_record_of_the_run_replays_to_the_same_result(stack: NativeStack, tmp_path: Path) -> None:
    paths = []
    for key, record in records_of_this_run(stack):
        paths.append(tmp_path / f"{key}.json")
        paths[-1].write_text(json.dumps(record))
    assert paths
    assert [error for error in map(replay, paths) if error] == []
