"""A client that floods Nakama with every kind of request, in its own process.

`python -m tests.perf.flooder API_URL MATCH_ID` floods between the lines `go` and `stop` on its standard
input, and prints the counts as JSON at its end. In the measuring process it would slow the measurement.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from contextlib import suppress
from itertools import cycle
from typing import TYPE_CHECKING

from demo.client.vocabulary import Op
from tests.perf.lobby import Lobby
from tests.perf.matches import SetMatch

if TYPE_CHECKING:
    from collections.abc import Callable

MESSAGES_PER_S = 1500
RPCS_PER_S = 150
TICKET = {"min_count": 2, "max_count": 2, "query": "*", "string_properties": {"game": "set"}}


class Flooder(SetMatch):
    """A match whose player floods Nakama: claims, SYNC, joins and tickets on a socket, RPCs over HTTP.

    Attributes:
        target: Id of the match that the player tries to join.
        messages: Number of messages sent on the socket, by kind.
        rpcs: Number of RPCs by HTTP status code.
    """

    def __init__(self, lobby: Lobby, target: str) -> None:
        super().__init__(mode="SINGLE_PLAYER")
        self.target = target
        self.messages: Counter[str] = Counter()
        self.rpcs: Counter[int] = Counter()
        self._lobby = lobby

    @property
    def counts(self) -> dict[str, object]:
        """Return the numbers of sent messages and of their outcomes."""
        return {
            "messages": self.messages,
            "rpcs": self.rpcs,
            "outcomes": self.stats.outcomes,
            "disconnected": self.disconnected,
        }

    async def flood(self) -> None:
        """Send until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._flood_socket())
            group.create_task(self._flood_rpcs("set_find_match", {}))
            group.create_task(self._flood_rpcs("set_create_match", {"timeLimitSeconds": 60}))

    async def _flood_socket(self) -> None:
        connection = self.connections[0]
        sends: dict[str, Callable[[], object]] = {
            "claim": self.claim,
            "SYNC": lambda: connection.send(self.match_id, Op.SYNC, b"{}"),
            "join": lambda: connection.send_envelope({"match_join": {"match_id": self.target}}),
            "leave": lambda: connection.send_envelope({"match_leave": {"match_id": self.target}}),
            "ticket": lambda: connection.send_envelope({"matchmaker_add": TICKET}),
        }
        for kind, send in cycle(sends.items()):
            send()
            self.messages[kind] += 1
            if kind == "ticket":
                await asyncio.sleep(len(sends) / MESSAGES_PER_S)

    async def _flood_rpcs(self, rpc: str, options: dict[str, object]) -> None:
        while True:
            self.rpcs[await self._lobby.status(self.tokens[0], rpc, options)] += 1
            await asyncio.sleep(2 / RPCS_PER_S)


async def follow_commands(api_url: str, target: str) -> None:
    """Flood on command and print the counts at the end."""
    async with Lobby(api_url) as lobby:
        flooder = Flooder(lobby, target)
        await flooder.open(lobby, players=1)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        flood: asyncio.Task[None] | None = None
        while command := (await asyncio.to_thread(sys.stdin.readline)).strip():
            if command == "go":
                flood = asyncio.create_task(flooder.flood())
            elif flood is not None:
                flood.cancel()
                with suppress(asyncio.CancelledError):
                    await flood
        sys.stdout.write(json.dumps(flooder.counts))
        flooder.close()


if __name__ == "__main__":
    asyncio.run(follow_commands(*sys.argv[1:3]))
