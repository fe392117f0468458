"""Messages that the shim sends to players without a call, such as during an outage (DESIGN section 4)."""

from typing import Final

from match_handler.protocol.payloads import PLAYER_OP_CODES, ClaimRejected, OpCode, ServiceStatus, encode
from match_handler.v1 import match_handler_pb2 as pb


def _status(*, paused: bool, closed: bool = False, restarting: bool = False) -> pb.Message:
    return pb.Message(op_code=OpCode.SERVICE_STATUS, data=encode(ServiceStatus(paused, closed, restarting)))


def _overflow(op_code: int) -> pb.Message:
    rejection = ClaimRejected(
        "", "CLAIM_REASON_RATE_LIMITED", op_code, "too many messages wait for the service"
    )
    return pb.Message(op_code=OpCode.CLAIM_REJECTED, data=encode(rejection))


NOTICES: Final = pb.Notices(
    paused=_status(paused=True),
    resumed=_status(paused=False),
    closed=_status(paused=True, closed=True),
    restarting=_status(paused=True, restarting=True),
    overflow={op_code: _overflow(op_code) for op_code in (0, *PLAYER_OP_CODES)},
)
"""The notices of all matches, as part of the response to `MatchInit`."""
