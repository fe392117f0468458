"""What the shim says by itself, because the service is away when it must be said (DESIGN section 4)."""

from typing import Final

from match_handler.payloads import ClaimRejected, OpCode, ServiceStatus, encode
from match_handler.v1 import match_handler_pb2 as pb


def _status(*, paused: bool, closed: bool = False) -> pb.Message:
    return pb.Message(op_code=OpCode.SERVICE_STATUS, data=encode(ServiceStatus(paused, closed)))


NOTICES: Final = pb.Notices(
    paused=_status(paused=True),
    resumed=_status(paused=False),
    closed=_status(paused=True, closed=True),
    overflow=pb.Message(
        op_code=OpCode.CLAIM_REJECTED, data=encode(ClaimRejected("", "CLAIM_REASON_RATE_LIMITED"))
    ),
)
"""The notices of every match."""
