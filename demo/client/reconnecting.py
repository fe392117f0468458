"""A player who reconnects after a lost connection and sends unanswered claims again."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from demo.client import messages as wire
from demo.client.backoff import pauses
from demo.client.nakama_socket import MatchData, NakamaError, SocketClosedError
from demo.client.player import TIMEOUT_S, Player
from demo.client.vocabulary import Op

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from demo.client.nakama_client import NakamaClient

GIVE_UP_AFTER_S = 120.0
TEMPORARY = "try again"
"""Part of the reason of a rejected join that can succeed later."""


class ReconnectingPlayer(Player):
    """A player who joins the same match again, with the same session token, when the connection is lost.

    The snapshot after the join replaces the model, because a crash of Nakama can undo the last changes of a
    match. Claims without an answer are sent again under their claim ids, so each is judged once. Other
    messages are not repeated.

    Attributes:
        reconnections: How often the player has joined again.
    """

    def __init__(
        self,
        client: NakamaClient,
        match_id: str,
        listener: Callable[[wire.Message], None] = lambda _: None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """Connect, join, and wait for the first snapshot. Each further join has the same metadata.

        Raises:
            NakamaError: The match rejected the join.
        """
        self.reconnections = 0
        self._metadata = metadata
        self._unanswered: dict[str, dict[str, object] | bytes] = {}
        super().__init__(client, match_id, listener, metadata)

    def send(self, op_code: int, payload: dict[str, object] | bytes) -> None:
        """Send a message to the match. If the connection is lost, only claims are kept until `receive`."""
        if op_code == Op.CLAIM and isinstance(payload, dict):
            self._unanswered[str(payload["claimId"])] = payload
        with suppress(SocketClosedError):
            super().send(op_code, payload)

    def receive(self, within_s: float = TIMEOUT_S) -> wire.Message:
        """Receive the next message, on a new connection if necessary.

        Raises:
            NakamaError: The match no longer exists, or rejected the join permanently.
            TimeoutError: No message arrived in time, or Nakama was not reachable for `GIVE_UP_AFTER_S`.
        """
        message = super().receive(within_s)
        if isinstance(message, wire.ClaimResult | wire.ClaimRejected):
            self._unanswered.pop(message.claim_id, None)
        return message

    def _next(self, within_s: float) -> MatchData:
        while True:
            try:
                return super()._next(within_s)
            except SocketClosedError:
                self._reconnect()

    def _reconnect(self) -> None:
        give_up_at = time.monotonic() + GIVE_UP_AFTER_S
        for pause in pauses():
            time.sleep(pause)
            if time.monotonic() > give_up_at:
                raise TimeoutError(f"Nakama was not reachable for {GIVE_UP_AFTER_S:.0f} s")
            if self._joined_again():
                break
        self.reconnections += 1
        for payload in list(self._unanswered.values()):
            self.send(Op.CLAIM, payload)

    def _joined_again(self) -> bool:
        self._socket.close()
        try:
            self._connect(self._metadata)
        except OSError:
            return False
        except NakamaError as error:
            if TEMPORARY not in error.reason:
                raise
            return False
        return True
