"""Matches under load: real ones, whose players follow the board, and those of the echo handler."""

from __future__ import annotations

import asyncio
import json
import random
import time
from abc import ABC, abstractmethod
from itertools import count
from typing import TYPE_CHECKING

import msgspec

from demo.client.vocabulary import Op
from set_core.validator import find_sets_among
from tests.perf.book import Book
from tests.perf.connection import RESPONSE_TIMEOUT_S, Connection, open_connection

if TYPE_CHECKING:
    from tests.perf.connection import OnMessage
    from tests.perf.lobby import Lobby

MISTAKES = 0.15
DEALS = (Op.SNAPSHOT, Op.MATCH_STARTED)
ANSWERS = (Op.CLAIM_RESULT, Op.CLAIM_REJECTED)


class _Slot(msgspec.Struct, rename="camel"):
    index: int
    card_id: int | None = None


class _Message(msgspec.Struct, rename="camel"):
    claim_id: str = ""
    valid: bool = False
    reason: str = ""
    slots: list[_Slot] = []


_decode = msgspec.json.Decoder(_Message).decode


class Table(ABC):
    """A match and the connections of its players, who claim in turn.

    Attributes:
        match_id: Nakama's id of the match.
        book: Records the claims.
        tokens: The session tokens of the players.
        waiting: The send time of each claim without a response.
    """

    def __init__(self) -> None:
        self.match_id = ""
        self.book = Book()
        self.connections: list[Connection] = []
        self.tokens: list[str] = []
        self.waiting: dict[str, float] = {}
        self._numbers = count()

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
    def cut_off(self) -> int:
        """Return the number of players who lost their connection."""
        return sum(connection.lost for connection in self.connections)

    def claim(self) -> bool:
        """Send a claim if the match is ready for one; return whether it was sent."""
        cards = self.choose()
        if cards is None:
            return False
        number = next(self._numbers)
        index = number % len(self.connections)
        claim_id = f"{index}-{number}"
        self.book.sent += 1
        self.waiting[claim_id] = time.perf_counter()
        payload = f'{{"claimId":"{claim_id}","cardIds":{json.dumps(cards)}}}'
        self.connections[index].send(self.match_id, Op.CLAIM, payload.encode())
        return True

    def choose(self) -> list[int] | None:
        """Return three cards to claim, or None if no claim is possible now."""
        return [0, 1, 2]

    @abstractmethod
    def on_message(self, index: int, op_code: int, message: _Message) -> None:
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

    def _answered(self, message: _Message) -> None:
        sent = self.waiting.pop(message.claim_id, None)
        if sent is None:
            self.book.twice += 1
            return
        self.book.waited_s.append(time.perf_counter() - sent)
        self.book.outcomes["valid" if message.valid else message.reason] += 1


class EchoTable(Table):
    """A match of the echo handler.

    Args:
        answer_bytes: Minimum size of the responses; 0 means the size of the claims.
    """

    def __init__(self, answer_bytes: int = 0) -> None:
        super().__init__()
        self._answer_bytes = answer_bytes

    def on_message(self, index: int, op_code: int, message: _Message) -> None:
        """Ignore the message: there are only responses to claims."""

    async def _create(self, lobby: Lobby, token: str) -> str:
        return await lobby.create(token, "load_create_echo", {"answerBytes": self._answer_bytes})


class SetTable(Table):
    """A real match: its players claim Sets, sometimes three other cards, and play again after the end."""

    def __init__(self, **options: object) -> None:
        super().__init__()
        self.games = 0
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

    def on_message(self, index: int, op_code: int, message: _Message) -> None:
        if op_code == Op.MATCH_ENDED:
            self._vote_for_rematch(index)
        elif index == 0:
            self._follow(op_code, message)

    def _vote_for_rematch(self, index: int) -> None:
        self._board = {}
        self.games += index == 0
        self.connections[index].send(self.match_id, Op.REMATCH, b"{}")

    def _follow(self, op_code: int, message: _Message) -> None:
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
