"""Driver for a player in a match: updates the model, sends claims, waits for answers."""

from __future__ import annotations

import json
import time
from itertools import count
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from demo.client import messages as wire
from demo.client.match_model import MatchModel
from demo.client.sets import Triple, a_non_set, has_a_non_set
from demo.client.vocabulary import Op, Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from demo.client.nakama_client import NakamaClient
    from demo.client.nakama_socket import MatchData

M = TypeVar("M", bound=wire.Message)
Answer = wire.ClaimResult | wire.ClaimRejected

TIMEOUT_S = 60.0
POLL_S = 0.02
RATE_PAUSE_S = 0.3
"""The rate limit counts the messages of one second (decision E15)."""


class UnexpectedAnswerError(RuntimeError):
    """A claim had another answer than expected. The error text contains the answer."""


def is_rejected_sync(message: wire.Message) -> bool:
    """Return whether the message rejects a SYNC."""
    return isinstance(message, wire.ClaimRejected) and message.op_code == Op.SYNC


class Player:
    """One user with a socket in one match.

    Attributes:
        client: The authenticated user.
        match_id: The id of the match.
        model: The model of the match, updated by every received message.
        messages: All received messages, in order.
        payloads: The payloads of these messages.
        listener: Callback for every message. It may call methods that receive, such as `sync`.
    """

    def __init__(
        self,
        client: NakamaClient,
        match_id: str,
        listener: Callable[[wire.Message], None] = lambda _: None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        """Connect, join, and wait for the first snapshot.

        The metadata is sent with the first join only, not with `rejoin`.

        Raises:
            NakamaError: The match rejected the join.
        """
        self.client = client
        self.match_id = match_id
        self.model = MatchModel()
        self.messages: list[wire.Message] = []
        self.payloads: list[bytes] = []
        self.listener = listener
        self._sync_in_flight = False
        self._claims = count(1)
        self._prefix = f"{client.username}-{uuid4().hex[:4]}"
        self._connect(metadata)
        self.wait_for(wire.Snapshot)

    @property
    def seats(self) -> list[int]:
        """This user's seats: several in pass & play, none for a spectator."""
        players = self.model.players.items()
        return [seat for seat, player in players if player.user_id == self.client.user_id]

    @property
    def seat(self) -> int:
        """This user's first seat."""
        return self.seats[0]

    @property
    def score(self) -> int:
        """This user's score."""
        return self.model.players[self.seat].score

    def claim(self, cards: Iterable[int], claim_id: str | None = None, seat: int | None = None) -> str:
        """Send a claim and return its claim id.

        If this user has several seats, the claim names one of them, by default the first.
        """
        claim_id = claim_id or f"{self._prefix}-{next(self._claims)}"
        named = {"seat": self.seat if seat is None else seat} if len(self.seats) > 1 else {}
        self.send(Op.CLAIM, {"claimId": claim_id, "cardIds": list(cards), **named})
        return claim_id

    def first_set(self) -> Triple:
        """Return the first Set on the board. Wait for the expansion if the board has none.

        Raises:
            TimeoutError: No message arrived for 60 s.
        """
        while not self.model.sets:
            self.receive()
        return self.model.sets[0]

    @property
    def can_claim_non_set(self) -> bool:
        """Whether the board has three cards that are not a Set. It has none if only one Set is left."""
        return has_a_non_set(self.model.board)

    def claim_set(self) -> str:
        """Claim the first Set on the board."""
        return self.claim(self.first_set())

    def take_set(self, seat: int | None = None) -> wire.ClaimResult:
        """Wait until claims of the seat are accepted, claim the first Set, and return the result.

        Raises:
            UnexpectedAnswerError: The claim was rejected or is invalid.
        """
        self.wait_until_idle(seat)
        answer = self.wait_for_answer(self.claim(self.first_set(), seat=seat))
        if not isinstance(answer, wire.ClaimResult) or not answer.valid:
            raise UnexpectedAnswerError(f"the claim of a Set was answered by {answer}")
        return answer

    def claim_non_set(self) -> str:
        """Claim three cards on the board that are not a Set."""
        return self.claim(a_non_set(self.model.board))

    def send(self, op_code: int, payload: dict[str, object] | bytes) -> None:
        """Send a message to the match: an object as JSON, or unchanged bytes."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self._socket.send(self.match_id, op_code, data)

    def receive(self, within_s: float = TIMEOUT_S) -> wire.Message:
        """Receive the next message, apply it to the model, and return it.

        Raises:
            TimeoutError: No message arrived in time.
            ModelMismatchError: The model and the message differ.
            UnreadableMessageError: The payload does not match the protocol.
        """
        data = self._next(within_s)
        message = wire.read(data.op_code, data.payload)
        self.messages.append(message)
        self.payloads.append(data.payload)
        self.model.apply(message)
        if isinstance(message, wire.Snapshot) or is_rejected_sync(message):
            self._sync_in_flight = False
        self.listener(message)
        return message

    def wait_for(self, kind: type[M], when: Callable[[M], bool] = lambda _: True) -> M:
        """Receive until a message of this type fulfills the condition, and return it.

        Raises:
            TimeoutError: No message arrived for 60 s.
        """
        while True:
            message = self.receive()
            if isinstance(message, kind) and when(message):
                return message

    def wait_for_answer(self, claim_id: str) -> Answer:
        """Return the first answer to a claim. Wait for it if it has not been received yet."""
        while not (answers := self.answers_to(claim_id)):
            self.receive()
        return answers[0]

    def sync(self) -> wire.Snapshot:
        """Request a snapshot and wait for it. `receive` compares it with the model.

        No second SYNC is sent while one is in flight, because one snapshot answers all of them. A SYNC above
        the rate limit is sent again later.
        """
        while True:
            if not self._sync_in_flight:
                self._sync_in_flight = True
                self.send(Op.SYNC, {})
            while self._sync_in_flight:
                self.receive()
            if not is_rejected_sync(self.messages[-1]):
                return self.received(wire.Snapshot)[-1]
            time.sleep(RATE_PAUSE_S)

    def wait_until_idle(self, seat: int | None = None) -> wire.Snapshot:
        """Poll snapshots until claims of the seat (default: the first) are accepted or the game is over."""
        while not self._may_claim(snapshot := self.sync(), self.seat if seat is None else seat):
            time.sleep(POLL_S)
        return snapshot

    def received(self, kind: type[M]) -> list[M]:
        """Return the messages of a type that were received so far, in order."""
        return [message for message in self.messages if isinstance(message, kind)]

    def answers_to(self, claim_id: str) -> list[Answer]:
        """Return all answers to a claim that were received so far."""
        return [
            message
            for message in self.messages
            if isinstance(message, wire.ClaimResult | wire.ClaimRejected) and message.claim_id == claim_id
        ]

    def break_connection(self) -> None:
        """Break the connection without leaving the match."""
        self._socket.break_connection()

    def rejoin(self) -> None:
        """Join again on a new socket. The model is replaced by the next snapshot."""
        self._connect()
        self.wait_for(wire.Snapshot)

    def leave(self) -> None:
        """Leave the match intentionally. The socket stays open."""
        self._socket.leave_match(self.match_id)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def _may_claim(self, snapshot: wire.Snapshot, seat: int) -> bool:
        lock_ms = snapshot.players[seat].locked_until_ms or 0
        idle = snapshot.phase == Phase.BOARD_IDLE and snapshot.now_ms >= lock_ms
        return idle or snapshot.phase == Phase.MATCH_END

    def _next(self, within_s: float) -> MatchData:
        """Return the next message as it was received."""
        return self._socket.receive(within_s)

    def _connect(self, metadata: Mapping[str, str] | None = None) -> None:
        """Join on a new socket. A snapshot follows, which replaces the model."""
        self._socket = self.client.connect()
        self._socket.join_match(self.match_id, metadata)
        self.model.forget()
        self._sync_in_flight = True
