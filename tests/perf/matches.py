"""Matches under load: real ones, whose players follow the board, and those of the echo handler.

The tests of single matches use `demo.client.player`. It has a thread for each connection and checks every
message, which is too slow for thousands of connections.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from abc import ABC, abstractmethod
from itertools import count, cycle
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from demo.client.vocabulary import Op
from set_core.validator import find_sets_among
from tests.perf.claim_stats import ClaimStats, quantile
from tests.perf.connection import RESPONSE_TIMEOUT_S, RPC_RESPONSE, Connection, open_connection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.perf.connection import OnMessage
    from tests.perf.lobby import Lobby

MISTAKES = 0.15
SETTLE_S = 10.0
POLL_S = 0.02
DEALS = (Op.SNAPSHOT, Op.MATCH_STARTED)
ANSWERS = (Op.CLAIM_RESULT, Op.CLAIM_REJECTED, RPC_RESPONSE)


class _Slot(msgspec.Struct, rename="camel"):
    index: int
    card_id: int | None = None


class _Results(msgspec.Struct, rename="camel"):
    record_key: str


class Message(msgspec.Struct, rename="camel"):
    """The fields of all messages of a match that the load uses."""

    claim_id: str = ""
    seat: int = 0
    card_ids: list[int] = []
    valid: bool = False
    reason: str = ""
    record_key: str = ""
    now_ms: int = 0
    results: _Results | None = None
    slots: list[_Slot] = []


class Waiting(NamedTuple):
    """A claim without a response: its payload, and when it was sent."""

    at: float
    payload: bytes


_decode = msgspec.json.Decoder(Message).decode


class LoadMatch(ABC):
    """A match and the connections of its players, who claim in turn.

    Attributes:
        match_id: Nakama's id of the match.
        stats: Statistics of the claims.
        tokens: The session tokens of the players.
        waiting: The claims without a response.
    """

    def __init__(self) -> None:
        self.match_id = ""
        self.stats = ClaimStats()
        self.connections: list[Connection] = []
        self.tokens: list[str] = []
        self.waiting: dict[str, Waiting] = {}
        self._numbers, self._turns = count(), count()

    async def open(self, lobby: Lobby, players: int) -> None:
        """Sign players in, create a match and join it."""
        self.tokens = [await lobby.sign_in() for _ in range(players)]
        self.match_id = await self._create(lobby, self.tokens[0])
        for index, token in enumerate(self.tokens):
            connection = await open_connection(lobby.socket_url(token), self._handler(index))
            self.connections.append(connection)
            await connection.join(self.match_id)

    def close(self) -> None:
        for connection in self.connections:
            connection.close()

    async def leave(self) -> None:
        """Leave, so that the match ends immediately, and close the connections."""
        for connection in self.connections:
            await connection.leave(self.match_id)
        self.close()

    @property
    def disconnected(self) -> int:
        """Return the number of players who lost their connection."""
        return sum(connection.lost for connection in self.connections)

    def claim(self) -> bool:
        """Send a claim if the match is ready for one; return whether it was sent."""
        cards = self.choose()
        if cards is None:
            return False
        self.claim_by(next(self._turns) % len(self.connections), cards)
        return True

    def claim_by(self, index: int, cards: Sequence[int]) -> str:
        """Send a claim of one player and return its id."""
        claim_id = f"{index}-{next(self._numbers)}"
        self.stats.sent += 1
        payload = f'{{"claimId":"{claim_id}","cardIds":{json.dumps(cards)}}}'.encode()
        self.waiting[claim_id] = Waiting(time.perf_counter(), payload)
        self._send(self.connections[index], payload)
        return claim_id

    def _send(self, connection: Connection, payload: bytes) -> None:
        connection.send(self.match_id, Op.CLAIM, payload)

    def choose(self) -> list[int] | None:
        """Return three cards to claim, or None if no claim is possible now."""
        return [0, 1, 2]

    @abstractmethod
    def on_message(self, index: int, op_code: int, message: Message) -> None:
        """Process a message of the match."""

    @abstractmethod
    async def _create(self, lobby: Lobby, token: str) -> str:
        """Create the match and return its id."""

    def _handler(self, index: int) -> OnMessage:
        def handle(op_code: int, payload: bytes) -> None:
            message = _decode(payload)
            if op_code in ANSWERS and message.claim_id.startswith(f"{index}-"):
                self._answered(message)
            self.on_message(index, op_code, message)

        return handle

    def _answered(self, message: Message) -> None:
        sent = self.waiting.pop(message.claim_id, None)
        if sent is None:
            self.stats.twice += 1
            return
        self.stats.waited_s.append(time.perf_counter() - sent.at)
        self.stats.outcomes["valid" if message.valid else message.reason] += 1


class EchoMatch(LoadMatch):
    """A match of the echo handler.

    Args:
        answer_bytes: Minimum size of the responses; 0 means the size of the claims.
        tick_rate: Ticks per second. A match in ticks has 20, a match on arrival 1.
    """

    def __init__(self, answer_bytes: int = 0, tick_rate: int = 20) -> None:
        super().__init__()
        self._options: dict[str, object] = {"answerBytes": answer_bytes, "tickRate": tick_rate}

    def on_message(self, index: int, op_code: int, message: Message) -> None:
        """Ignore the message: there are only responses to claims."""

    async def _create(self, lobby: Lobby, token: str) -> str:
        return await lobby.create(token, "load_create_echo", self._options)


class RpcMatch(EchoMatch):
    """A match whose players call an RPC that does nothing, in place of claims."""

    def _send(self, connection: Connection, payload: bytes) -> None:
        connection.call("load_noop", payload)


class SetMatch(LoadMatch):
    """A real match: its players claim Sets, sometimes three other cards, and play again after the end.

    Attributes:
        record_keys: The keys of the records of the games that have ended.
    """

    def __init__(self, **options: object) -> None:
        super().__init__()
        self.record_keys: set[str] = set()
        self._options = options
        self._board: dict[int, int] = {}
        self._dealt = asyncio.Event()

    async def open(self, lobby: Lobby, players: int) -> None:
        await super().open(lobby, players)
        await asyncio.wait_for(self._dealt.wait(), RESPONSE_TIMEOUT_S)

    def choose(self) -> list[int] | None:
        board = list(self._board.values())
        if len(board) < 3:
            return None
        sets = find_sets_among(board)
        if sets and random.random() >= MISTAKES:
            return list(sets[0])
        three = random.sample(board, 3)
        return None if find_sets_among(three) else three

    def on_message(self, index: int, op_code: int, message: Message) -> None:
        if op_code == Op.MATCH_ENDED:
            self._end_game(index, message.record_key)
        elif index == 0:
            self._follow(op_code, message)

    @property
    def over(self) -> bool:
        """Whether no game is running."""
        return not self._board

    def _end_game(self, index: int, record_key: str) -> None:
        """Keep the key of the record, if there is one, and vote for a rematch."""
        self._board = {}
        self.record_keys |= {record_key} - {""}
        self.connections[index].send(self.match_id, Op.REMATCH, b"{}")

    def _follow(self, op_code: int, message: Message) -> None:
        if op_code in DEALS:
            self._board = {}
        for slot in message.slots:
            if slot.card_id is None:
                self._board.pop(slot.index, None)
            else:
                self._board[slot.index] = slot.card_id
                self._dealt.set()

    async def _create(self, lobby: Lobby, token: str) -> str:
        return await lobby.create(token, "set_create_match", self._options)


async def drive(matches: Sequence[LoadMatch], claims_per_s: float, seconds: float) -> float:
    """Send claims in turn, wait for the responses, and return the p99 of the sending delay in seconds.

    Claims are sent at random times: at even intervals the claims of a match would always come at the same
    time within a tick. The rate does not depend on responses, because waiting would hide a slow server.
    """
    turns, delays = cycle(matches), []
    end = time.perf_counter() + seconds
    send_at = time.perf_counter()
    for _ in range(int(claims_per_s * seconds)):
        send_at += random.expovariate(claims_per_s)
        await asyncio.sleep(max(0.0, send_at - time.perf_counter()))
        delays.append(max(0.0, time.perf_counter() - send_at))
        next(turns).claim()
    if not claims_per_s:
        await asyncio.sleep(end - time.perf_counter())
    await settle(matches)
    return quantile(delays, 0.99)


async def settle(matches: Sequence[LoadMatch], timeout_s: float = SETTLE_S) -> None:
    """Wait until every claim has a response, or until the timeout."""
    for _ in range(int(timeout_s / POLL_S)):
        if not any(match.waiting for match in matches):
            return
        await asyncio.sleep(POLL_S)
