"""Tables under load: real ones, whose players follow the board, and those of the handler that only echoes."""

from __future__ import annotations

import asyncio
import json
import random
import time
from abc import ABC, abstractmethod
from itertools import count
from typing import TYPE_CHECKING

import msgspec

from demo.vocabulary import Op
from set_core.validator import find_sets_among
from tests.load.book import Book
from tests.load.line import ANSWER_WITHIN_S, Line, open_line

if TYPE_CHECKING:
    from tests.load.line import Hear
    from tests.load.lobby import Lobby

MISTAKES = 0.15
DEALS = (Op.SNAPSHOT, Op.MATCH_STARTED)
ANSWERS = (Op.CLAIM_RESULT, Op.CLAIM_REJECTED)


class _Slot(msgspec.Struct, rename="camel"):
    index: int
    card_id: int | None = None


class _Heard(msgspec.Struct, rename="camel"):
    claim_id: str = ""
    valid: bool = False
    reason: str = ""
    slots: list[_Slot] = []


_decode = msgspec.json.Decoder(_Heard).decode


class Table(ABC):
    """A match and the connections of its players, who claim in turn.

    Attributes:
        match_id: Nakama's id of the match.
        book: Where claims are written down.
        tokens: The session tokens of the players.
        waiting: When each claim was sent that has no answer yet.
    """

    def __init__(self) -> None:
        self.match_id = ""
        self.book = Book()
        self.lines: list[Line] = []
        self.tokens: list[str] = []
        self.waiting: dict[str, float] = {}
        self._numbers = count()

    async def open(self, lobby: Lobby, players: int) -> None:
        """Sign players in, make a match and let them join it."""
        self.tokens = [await lobby.sign_in() for _ in range(players)]
        self.match_id = await self._create(lobby, self.tokens[0])
        for place, token in enumerate(self.tokens):
            line = await open_line(lobby.socket_url(token), self._ear(place))
            self.lines.append(line)
            await line.join(self.match_id)

    def close(self) -> None:
        for line in self.lines:
            line.close()

    async def leave(self) -> None:
        """Leave on purpose, so that the match ends at once, and close."""
        for line in self.lines:
            await line.leave(self.match_id)
        self.close()

    @property
    def cut_off(self) -> int:
        """How many players lost their connection."""
        return sum(line.lost for line in self.lines)

    def claim(self) -> bool:
        """Send a claim, if the table is ready for one."""
        cards = self.choose()
        if cards is None:
            return False
        number = next(self._numbers)
        place = number % len(self.lines)
        claim_id = f"{place}-{number}"
        self.book.sent += 1
        self.waiting[claim_id] = time.perf_counter()
        payload = f'{{"claimId":"{claim_id}","cardIds":{json.dumps(cards)}}}'
        self.lines[place].send(self.match_id, Op.CLAIM, payload.encode())
        return True

    def choose(self) -> list[int] | None:
        """Three cards to claim; None: not now."""
        return [0, 1, 2]

    @abstractmethod
    def hear(self, place: int, op_code: int, heard: _Heard) -> None:
        """Follow what the match says."""

    @abstractmethod
    async def _create(self, lobby: Lobby, token: str) -> str:
        """Make the match; return its id."""

    def _ear(self, place: int) -> Hear:
        def ear(op_code: int, payload: bytes) -> None:
            heard = _decode(payload)
            if op_code in ANSWERS and heard.claim_id.startswith(f"{place}-"):
                self._answered(heard)
            self.hear(place, op_code, heard)

        return ear

    def _answered(self, heard: _Heard) -> None:
        sent = self.waiting.pop(heard.claim_id, None)
        if sent is None:
            self.book.twice += 1
            return
        self.book.waited_s.append(time.perf_counter() - sent)
        self.book.outcomes["valid" if heard.valid else heard.reason] += 1


class EchoTable(Table):
    """A match of the handler that does nothing but answer.

    Args:
        answer_bytes: How long its answers are at least; 0: as long as the claims.
    """

    def __init__(self, answer_bytes: int = 0) -> None:
        super().__init__()
        self._answer_bytes = answer_bytes

    def hear(self, place: int, op_code: int, heard: _Heard) -> None:
        """Nothing is said but answers."""

    async def _create(self, lobby: Lobby, token: str) -> str:
        return await lobby.create(token, "load_create_echo", {"answerBytes": self._answer_bytes})


class SetTable(Table):
    """A real match: its players claim Sets, now and then three other cards, and play again after the end."""

    def __init__(self, **options: object) -> None:
        super().__init__()
        self.games = 0
        self._options = options
        self._board: dict[int, int] = {}
        self._dealt = asyncio.Event()

    async def open(self, lobby: Lobby, players: int) -> None:
        await super().open(lobby, players)
        await asyncio.wait_for(self._dealt.wait(), ANSWER_WITHIN_S)

    def choose(self) -> list[int] | None:
        board = list(self._board.values())
        if len(board) < 3:
            return None
        sets = find_sets_among(board)
        if sets and random.random() >= MISTAKES:
            return list(sets[0])
        three = random.sample(board, 3)
        return None if find_sets_among(three) else three

    def hear(self, place: int, op_code: int, heard: _Heard) -> None:
        if op_code == Op.MATCH_ENDED:
            self._again(place)
        elif place == 0:
            self._follow(op_code, heard)

    def _again(self, place: int) -> None:
        self._board = {}
        self.games += place == 0
        self.lines[place].send(self.match_id, Op.REMATCH, b"{}")

    def _follow(self, op_code: int, heard: _Heard) -> None:
        if op_code in DEALS:
            self._board = {}
        for slot in heard.slots:
            if slot.card_id is None:
                self._board.pop(slot.index, None)
            else:
                self._board[slot.index] = slot.card_id
                self._dealt.set()

    async def _create(self, lobby: Lobby, token: str) -> str:
        return await lobby.create(token, "set_create_match", self._options)
