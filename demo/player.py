"""A player at a match: follows the table, sends claims, waits for answers."""

from __future__ import annotations

import json
import time
from itertools import count
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from demo import messages as wire
from demo.sets import Triple, a_non_set, has_a_non_set
from demo.table import Table
from demo.vocabulary import Op, Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from demo.nakama_client import NakamaClient
    from demo.nakama_socket import NakamaSocket

M = TypeVar("M", bound=wire.Message)
Answer = wire.ClaimResult | wire.ClaimRejected

ANSWER_WITHIN_S = 60.0
BETWEEN_LOOKS_S = 0.02


class Player:
    """One user with a socket, in one match.

    Attributes:
        client: The signed-in user.
        match_id: The match.
        table: The model that every message is applied to as it is received.
        heard: Everything received, in order.
        raw: The same as it was on the wire.
        listener: Hears every message; may itself receive, as by `sync`.
    """

    def __init__(
        self,
        client: NakamaClient,
        match_id: str,
        listener: Callable[[wire.Message], None] = lambda _: None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """Connect and join; return when the snapshot is there. The listener hears every message.

        The metadata goes along with the first join only.

        Raises:
            NakamaError: The match refused.
        """
        self.client = client
        self.match_id = match_id
        self.table = Table()
        self.heard: list[wire.Message] = []
        self.raw: list[bytes] = []
        self.listener = listener
        self._awaits_snapshot = False
        self._claims = count(1)
        self._prefix = f"{client.username}-{uuid4().hex[:4]}"
        self._socket = self._join(metadata)

    @property
    def seat(self) -> int:
        """This user's seat."""
        return next(
            seat for seat, player in self.table.players.items() if player.user_id == self.client.user_id
        )

    @property
    def score(self) -> int:
        """This user's points."""
        return self.table.players[self.seat].score

    def claim(self, cards: Iterable[int], claim_id: str | None = None) -> str:
        """Claim three cards; return the claim's id."""
        claim_id = claim_id or f"{self._prefix}-{next(self._claims)}"
        self.send(Op.CLAIM, {"claimId": claim_id, "cardIds": list(cards)})
        return claim_id

    def a_set(self) -> Triple:
        """Return the first Set on the board; wait for one if the board is about to be expanded.

        Raises:
            TimeoutError: Nothing at all came for a minute.
        """
        while not self.table.sets:
            self.receive()
        return self.table.sets[0]

    @property
    def can_err(self) -> bool:
        """Whether there are three cards to claim that are no Set: not if a Set is all that is left."""
        return has_a_non_set(self.table.board)

    def claim_set(self) -> str:
        """Claim the first Set on the board."""
        return self.claim(self.a_set())

    def claim_non_set(self) -> str:
        """Claim three cards of the board that are no Set."""
        return self.claim(a_non_set(self.table.board))

    def send(self, op_code: int, payload: dict[str, object] | bytes) -> None:
        """Send into the match: an object, or any bytes as they are."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self._socket.send(self.match_id, op_code, data)

    def receive(self, within_s: float = ANSWER_WITHIN_S) -> wire.Message:
        """Return the next message, applied to the table.

        Raises:
            TimeoutError: Nothing came within that time.
            ModelMismatchError: The table disagrees with it.
            UnreadableMessageError: It is not in the form of the protocol.
        """
        data = self._socket.receive(within_s)
        message = wire.read(data.op_code, data.payload)
        self.heard.append(message)
        self.raw.append(data.payload)
        self.table.apply(message)
        self._awaits_snapshot = self._awaits_snapshot and not isinstance(message, wire.Snapshot)
        self.listener(message)
        return message

    def wait_for(self, kind: type[M], when: Callable[[M], bool] = lambda _: True) -> M:
        """Receive until such a message comes, and return it.

        Raises:
            TimeoutError: Nothing at all came for a minute.
        """
        while True:
            message = self.receive()
            if isinstance(message, kind) and when(message):
                return message

    def verdict(self, claim_id: str) -> Answer:
        """Return the first answer to a claim; wait for it if it has not been received yet."""
        while not (answers := self.answers_to(claim_id)):
            self.receive()
        return answers[0]

    def sync(self) -> wire.Snapshot:
        """Wait for a snapshot, with which the table has then been compared.

        While an earlier SYNC has no answer yet no other is sent: a match answers all SYNC of a tick once.
        """
        if not self._awaits_snapshot:
            self._awaits_snapshot = True
            self.send(Op.SYNC, {})
        while self._awaits_snapshot:
            self.receive()
        return next(heard for heard in reversed(self.heard) if isinstance(heard, wire.Snapshot))

    def wait_until_idle(self) -> wire.Snapshot:
        """Look again and again until this player's claims are taken, or the game is over."""
        while not self._may_claim(seen := self.sync()):
            time.sleep(BETWEEN_LOOKS_S)
        return seen

    def answers_to(self, claim_id: str) -> list[Answer]:
        """Return every answer to a claim that was received so far."""
        answers = (heard for heard in self.heard if isinstance(heard, wire.ClaimResult | wire.ClaimRejected))
        return [answer for answer in answers if answer.claim_id == claim_id]

    def drop(self) -> None:
        """Lose the connection."""
        self._socket.drop()

    def rejoin(self) -> None:
        """Come back on a new socket; the table believes the next snapshot."""
        self.table.forget()
        self._awaits_snapshot = False
        self._socket = self._join()

    def leave(self) -> None:
        """Leave the match on purpose; the socket stays open."""
        self._socket.leave_match(self.match_id)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def _may_claim(self, seen: wire.Snapshot) -> bool:
        own_lock_ms = self.table.players[self.seat].locked_until_ms or 0
        idle = seen.phase == Phase.BOARD_IDLE and seen.now_ms >= own_lock_ms
        return idle or seen.phase == Phase.MATCH_END

    def _join(self, metadata: Mapping[str, str] | None = None) -> NakamaSocket:
        socket = self.client.connect()
        socket.join_match(self.match_id, metadata)
        self._socket = socket
        self.wait_for(wire.Snapshot)
        return socket
