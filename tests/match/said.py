"""What players say, as the driver takes it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from match_handler.protocol.payloads import OpCode


@dataclass(frozen=True)
class Said:
    """One message of a user; without a session it comes from the user's first connection."""

    user: str
    op_code: int
    data: bytes = b"{}"
    received_ms: int | None = None
    session: str | None = None

    @property
    def session_id(self) -> str:
        return self.session or session_of(self.user)


def session_of(user: str) -> str:
    return f"{user}-1"


def claim(  # noqa: PLR0913 - every part of a claim can matter
    user: str,
    cards: Sequence[int],
    claim_id: str = "claim",
    *,
    seat: int | None = None,
    received_ms: int | None = None,
    session: str | None = None,
) -> Said:
    body: dict[str, object] = {"claimId": claim_id, "cardIds": list(cards)}
    if seat is not None:
        body["seat"] = seat
    return Said(user, OpCode.CLAIM, json.dumps(body).encode(), received_ms, session)


def rejected(
    reason: str, claim_id: str = "", op_code: int = OpCode.CLAIM, message: str = ""
) -> dict[str, object]:
    """A CLAIM_REJECTED."""
    return {
        "claimId": claim_id,
        "reason": f"CLAIM_REASON_{reason}",
        "opCode": op_code,
        "message": message,
    }


def extend(user: str) -> Said:
    return Said(user, OpCode.EXTEND)


def kick(user: str, out: str) -> Said:
    return Said(user, OpCode.KICK, json.dumps({"userId": out}).encode())


def ready(user: str) -> Said:
    return Said(user, OpCode.READY)


def rematch(user: str) -> Said:
    return Said(user, OpCode.REMATCH)


def sync(user: str, session: str | None = None) -> Said:
    return Said(user, OpCode.SYNC, session=session)


def hint(user: str) -> Said:
    return Said(user, OpCode.HINT)
