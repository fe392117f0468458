"""Messages of players, as the test driver sends them, and messages to players."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from match_handler.protocol.payloads import OpCode


@dataclass(frozen=True)
class PlayerMessage:
    """One message of a user; the default session is the first connection of the user."""

    user: str
    op_code: int
    data: bytes = b"{}"
    received_ms: int | None = None
    session: str | None = None

    @property
    def session_id(self) -> str:
        return self.session or session_of(self.user)


@dataclass(frozen=True)
class Received:
    """A message as the shim would send it; `audience` None means all connections."""

    op_code: OpCode
    body: dict[str, Any]
    audience: tuple[str, ...] | None
    data: bytes


def session_of(user: str) -> str:
    return f"{user}-1"


def claim(  # noqa: PLR0913 - tests vary every field of a claim
    user: str,
    cards: Sequence[int],
    claim_id: str = "claim",
    *,
    seat: int | None = None,
    received_ms: int | None = None,
    session: str | None = None,
) -> PlayerMessage:
    body: dict[str, object] = {"claimId": claim_id, "cardIds": list(cards)}
    if seat is not None:
        body["seat"] = seat
    return PlayerMessage(user, OpCode.CLAIM, json.dumps(body).encode(), received_ms, session)


def rejected(
    reason: str, claim_id: str = "", op_code: int = OpCode.CLAIM, message: str = ""
) -> dict[str, object]:
    """Return the body of a CLAIM_REJECTED."""
    return {
        "claimId": claim_id,
        "reason": f"CLAIM_REASON_{reason}",
        "opCode": op_code,
        "message": message,
    }


def extend(user: str) -> PlayerMessage:
    return PlayerMessage(user, OpCode.EXTEND)


def kick(user: str, target: str) -> PlayerMessage:
    return PlayerMessage(user, OpCode.KICK, json.dumps({"userId": target}).encode())


def ready(user: str) -> PlayerMessage:
    return PlayerMessage(user, OpCode.READY)


def rematch(user: str) -> PlayerMessage:
    return PlayerMessage(user, OpCode.REMATCH)


def sync(user: str, session: str | None = None) -> PlayerMessage:
    return PlayerMessage(user, OpCode.SYNC, session=session)


def hint(user: str) -> PlayerMessage:
    return PlayerMessage(user, OpCode.HINT)
