"""Matches under load whose players reconnect, for restarts of Nakama."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from demo.client.backoff import pauses
from demo.client.vocabulary import Op
from tests.perf.connection import RequestError, open_connection
from tests.perf.matches import Message, SetMatch
from tests.support.clocks import Clock
from tests.support.judged import Judged, claim_of

if TYPE_CHECKING:
    from tests.perf.lobby import Lobby

NOT_FOUND = "not found"


class ReconnectingMatch(SetMatch):
    """A match whose players join again after a lost connection, and send unanswered claims again.

    Attributes:
        judged: The results of claims.
        clocks: The match clock in the snapshots.
        lost: Whether the match no longer exists.
        reconnections: How often a player has joined again.
    """

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self.judged: list[Judged] = []
        self.clocks: list[Clock] = []
        self.lost = False
        self.reconnections = 0
        self._keepers: list[asyncio.Task[None]] = []

    async def open(self, lobby: Lobby, players: int) -> None:
        await super().open(lobby, players)
        self._keepers = [asyncio.create_task(self._keep_connected(lobby, index)) for index in range(players)]

    async def leave(self) -> None:
        for keeper in self._keepers:
            keeper.cancel()
        for connection in self.connections:
            with suppress(RequestError, TimeoutError):
                await connection.leave(self.match_id)
        self.close()

    @property
    def connected(self) -> bool:
        """Whether all players are in the match."""
        return all(connection.joined and not connection.lost for connection in self.connections)

    def choose(self) -> list[int] | None:
        return super().choose() if self.connected else None

    def on_message(self, index: int, op_code: int, message: Message) -> None:
        super().on_message(index, op_code, message)
        if op_code == Op.CLAIM_RESULT and index == 0:
            self.judged.append(Judged(time.monotonic(), claim_of(message.seat, message.card_ids)))
        elif op_code == Op.SNAPSHOT:
            self.clocks.append(Clock(time.monotonic(), message.now_ms))
            if message.results is not None:
                self._end_game(index, message.results.record_key)

    async def _keep_connected(self, lobby: Lobby, index: int) -> None:
        url = lobby.socket_url(self.tokens[index])
        while not self.lost:
            await self.connections[index].closed.wait()
            for pause in pauses():
                await asyncio.sleep(pause)
                if self.lost or await self._joined_again(url, index):
                    break

    async def _joined_again(self, url: str, index: int) -> bool:
        try:
            connection = await open_connection(url, self._handler(index))
        except OSError:
            return False
        self.connections[index] = connection
        try:
            await connection.join(self.match_id)
        except OSError as error:
            connection.close()
            self.lost = NOT_FOUND in str(error)
            return False
        self.reconnections += 1
        for claim_id, claim in self.waiting.items():
            if claim_id.startswith(f"{index}-"):
                connection.send(self.match_id, Op.CLAIM, claim.payload)
        return True
