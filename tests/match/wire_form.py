"""The protobuf message of each op code, and strict conversion from and to JSON."""

import json
from typing import Any, Final

from google.protobuf import json_format
from google.protobuf.message import Message

from match_handler.protocol.payloads import OpCode
from match_handler.v1 import client_pb2 as pb

MESSAGES: Final[dict[OpCode, type[Message]]] = {
    OpCode.CLAIM: pb.Claim,
    OpCode.SYNC: pb.Sync,
    OpCode.READY: pb.Ready,
    OpCode.REMATCH: pb.Rematch,
    OpCode.HINT: pb.Hint,
    OpCode.EXTEND: pb.Extend,
    OpCode.KICK: pb.Kick,
    OpCode.SNAPSHOT: pb.Snapshot,
    OpCode.MATCH_STARTED: pb.MatchStarted,
    OpCode.CLAIM_RESULT: pb.ClaimResult,
    OpCode.CLAIM_REJECTED: pb.ClaimRejected,
    OpCode.BOARD_EXPANDED: pb.BoardExpanded,
    OpCode.PLAYER_CHANGED: pb.PlayerChanged,
    OpCode.MATCH_ENDED: pb.MatchEnded,
    OpCode.HINT_RESULT: pb.HintResult,
    OpCode.SERVICE_STATUS: pb.ServiceStatus,
    OpCode.FILL_TIME: pb.FillTime,
}


def round_trip(data: bytes, kind: type[Message]) -> dict[str, Any]:
    """Parse JSON into a message, reject unknown fields, and return the message as JSON."""
    message = json_format.Parse(data, kind())
    return json_format.MessageToDict(message, always_print_fields_with_no_presence=True)


def parse_strictly(op_code: int, data: bytes) -> dict[str, Any]:
    """Return the JSON values of a payload after checking that it is the proto3 form of its message."""
    plain: dict[str, Any] = json.loads(data)
    assert round_trip(data, MESSAGES[OpCode(op_code)]) == plain
    return plain
