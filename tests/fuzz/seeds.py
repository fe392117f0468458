"""Seeds of the fuzz targets: stored inputs, and valid states, requests and records of the current code.

A stored state would become outdated with the next format version, and its mutations would be rejected early.
"""

from functools import cache
from pathlib import Path
from typing import Any, Final

from google.protobuf.message import Message

from match_handler.match.state import decode_state, encode_state
from match_handler.v1 import match_handler_pb2 as pb
from tests.fuzz.targets import METHODS, NOW_MS
from tests.match.driver import MATCH_ID, MatchDriver, started
from tests.match.messages import sync

CORPUS: Final = Path(__file__).parent / "corpus"
_BOT: Final = {"bots": [{"level": "HARD"}], "maxPlayers": 3}
_ANN: Final = pb.Presence(user_id="ann", session_id="ann-1", username="ann", node="node1")
_NOW_MS: Final = 1_000


@cache
def seeds(target: str) -> dict[str, bytes]:
    """Return the seeds of a target by name."""
    kept = {file.name: file.read_bytes() for file in sorted((CORPUS / target).glob("*"))}
    return {**kept, **VALID.get(target, dict)()}


def valid_states() -> dict[str, bytes]:
    """Return a state of every phase of a match, and an earlier crasher."""
    states = {name: driver.state for name, driver in _drivers().items()}
    return {**states, "window_without_game": _window_without_game(states["won"])}


def valid_records() -> dict[str, bytes]:
    """Return records of games with different ends."""
    drivers = {name: driver for name, driver in _drivers().items() if driver.records}
    return {name: record for name, driver in drivers.items() for record in driver.records.values()}


def valid_requests() -> dict[str, bytes]:
    """Return a request of every method in the format of the target: method number, then message."""
    names = [kind.DESCRIPTOR.name for _, kind in METHODS]
    return {
        (name := request.DESCRIPTOR.name): bytes([names.index(name)]) + request.SerializeToString()
        for request in _requests()
    }


VALID: Final = {"states": valid_states, "records": valid_records, "requests": valid_requests}


@cache
def _drivers() -> dict[str, MatchDriver]:
    waiting = MatchDriver({"maxPlayers": 3}, expected=["ann", "bob"])
    waiting.join("ann")
    friends = MatchDriver({"private": True}, creator="ann", expected=["ann"])
    friends.join("ann", invitation=friends.invitation)
    running = started()
    running.claim_set("ann")
    away = started()
    away.disconnect("bob")
    bots = started(_BOT, "ann", "bob")
    bots.wait(_NOW_MS)
    arrival = started({**_BOT, "claimOrder": "ARRIVAL"}, "ann", "bob")
    arrival.loop(sync("ann"), sync("ann"))
    won = started({"timeLimitSeconds": 10})
    won.claim_set("ann")
    won.wait(10_000)
    forfeited = started()
    forfeited.claim_set("bob")
    forfeited.leave("ann")
    return {
        "waiting": waiting,
        "friends": friends,
        "running": running,
        "away": away,
        "bots": bots,
        "arrival": arrival,
        "won": won,
        "forfeited": forfeited,
    }


def _window_without_game(ended: bytes) -> bytes:
    """Return a state that play cannot reach: reconnect windows end after the game."""
    state = decode_state(ended)
    for seat in state.seats:
        seat.reconnect_deadline_ms = NOW_MS
    return encode_state(state)


def _requests() -> list[Message]:
    drivers = _drivers()
    waiting: dict[str, Any] = {"match_id": MATCH_ID, "now_ms": _NOW_MS, "state": drivers["waiting"].state}
    running = {**waiting, "state": drivers["running"].state, "now_ms": drivers["running"].now_ms}
    claim = pb.Input(user_id="ann", session_id="ann-1", op_code=1, data=b'{"claimId":"a","cardIds":[0,1,2]}')
    loop = pb.MatchLoopRequest(**running, inputs=[claim], leaves=[pb.Leave(presence=_ANN)])
    arrival = pb.MatchLoopRequest(
        match_id=MATCH_ID,
        now_ms=drivers["arrival"].now_ms + _NOW_MS,
        state=drivers["arrival"].state,
        inputs=[claim, pb.Input(user_id="bob", session_id="bob-1", op_code=2, received_ms=_NOW_MS)],
        leaves=[pb.Leave(presence=_ANN)],
    )
    return [
        pb.MatchOptionsRequest(options=b'{"maxPlayers":4}'),
        pb.MatchInitRequest(match_id=MATCH_ID, options=b"{}", expected_users=[_ANN], creator_id="ann"),
        pb.MatchJoinAttemptRequest(**waiting, presence=_ANN, metadata={"spectate": "true"}),
        pb.MatchJoinRequest(**waiting, presences=[_ANN]),
        pb.MatchReserveRequest(**waiting, users=[_ANN]),
        loop,
        pb.MatchBatchRequest(calls=[loop, arrival]),
        pb.MatchTerminateRequest(**running),
        pb.MatchSignalRequest(**running, data="snapshot"),
    ]
