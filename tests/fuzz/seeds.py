"""Where fuzzing starts: inputs kept as files, and valid states, requests and records made by today's code.

A kept file would become stale with the next version of its form; then every mutation of it is refused early.
"""

from functools import cache
from pathlib import Path
from typing import Any, Final

from google.protobuf.message import Message

from match_handler.v1 import match_handler_pb2 as pb
from tests.fuzz.targets import METHODS, TARGETS
from tests.match.driver import MATCH_ID, TableDriver, started

CORPUS: Final = Path(__file__).parent / "corpus"
_BOT: Final = {"bots": [{"level": "HARD"}], "maxPlayers": 3}
_ANN: Final = pb.Presence(user_id="ann", session_id="ann-1", username="ann", node="node1")
_NOW_MS: Final = 1_000


@cache
def seeds(target: str) -> dict[str, bytes]:
    """The seeds of a target by name."""
    kept = {file.name: file.read_bytes() for file in sorted((CORPUS / target).glob("*"))}
    return {**kept, **VALID.get(target, dict)()}


def valid_states() -> dict[str, bytes]:
    """A state of every phase of a match."""
    return {name: table.state for name, table in _tables().items()}


def valid_records() -> dict[str, bytes]:
    """Records of games that ended, each in another way."""
    tables = {name: table for name, table in _tables().items() if table.records}
    return {name: record for name, table in tables.items() for record in table.records.values()}


def valid_requests() -> dict[str, bytes]:
    """A request of every method in the form of the target: the number of the method, then the message."""
    names = [kind.DESCRIPTOR.name for _, kind in METHODS]
    return {
        (name := request.DESCRIPTOR.name): bytes([names.index(name)]) + request.SerializeToString()
        for request in _requests()
    }


VALID: Final = {"states": valid_states, "records": valid_records, "requests": valid_requests}
assert VALID.keys() <= TARGETS.keys()


def _tables() -> dict[str, TableDriver]:
    waiting = TableDriver({"maxPlayers": 3}, expected=["ann", "bob"])
    waiting.join("ann")
    friends = TableDriver({"private": True}, creator="ann", expected=["ann"])
    friends.join("ann", invitation=friends.invitation)
    running = started()
    running.award("ann")
    away = started()
    away.lose("bob")
    bots = started(_BOT, "ann", "bob")
    bots.wait(_NOW_MS)
    won = started({"timeLimitSeconds": 10})
    won.award("ann")
    won.wait(10_000)
    forfeited = started()
    forfeited.award("bob")
    forfeited.leave("ann")
    return {
        "waiting": waiting,
        "friends": friends,
        "running": running,
        "away": away,
        "bots": bots,
        "won": won,
        "forfeited": forfeited,
    }


def _requests() -> list[Message]:
    tables = _tables()
    waiting: dict[str, Any] = {"match_id": MATCH_ID, "now_ms": _NOW_MS, "state": tables["waiting"].state}
    running = {**waiting, "state": tables["running"].state, "now_ms": tables["running"].now_ms}
    claim = pb.Input(user_id="ann", session_id="ann-1", op_code=1, data=b'{"claimId":"a","cardIds":[0,1,2]}')
    loop = pb.MatchLoopRequest(**running, inputs=[claim], leaves=[pb.Leave(presence=_ANN)])
    return [
        pb.MatchOptionsRequest(options=b'{"maxPlayers":4}'),
        pb.MatchInitRequest(match_id=MATCH_ID, options=b"{}", expected_users=[_ANN], creator_id="ann"),
        pb.MatchJoinAttemptRequest(**waiting, presence=_ANN, metadata={"spectate": "true"}),
        pb.MatchJoinRequest(**waiting, presences=[_ANN]),
        pb.MatchReserveRequest(**waiting, users=[_ANN]),
        loop,
        pb.MatchBatchRequest(calls=[loop, loop]),
        pb.MatchTerminateRequest(**running),
        pb.MatchSignalRequest(**running, data="snapshot"),
    ]
