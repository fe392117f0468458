"""Users, matches and players on the real stack, gone after the test."""

from __future__ import annotations

import time
import uuid
from contextlib import ExitStack
from itertools import cycle
from typing import TYPE_CHECKING, Any, Protocol

import httpx

from demo.nakama_client import NakamaClient
from demo.nakama_socket import NakamaError
from demo.player import Player
from set_core.deck import Deck
from set_core.validator import any_set_among

if TYPE_CHECKING:
    from collections.abc import Mapping

SEEDS = cycle(seed for seed in range(1, 100) if any_set_among(Deck(seed).order[:12]))
"""Seeds of decks whose first board has a Set: one board in thirty has none and would grow first."""

QUICK = {"validSet": 60, "refill": 40, "invalidSet": 40, "expandBoard": 40}


UNAVAILABLE = 14
POLL_S = 0.05
HTTP_KEY = "defaulthttpkey"
ANSWER_WITHIN_S = 30.0


class Reachable(Protocol):
    """Any stack: all that players need is Nakama's address."""

    @property
    def api_url(self) -> str: ...


def wait_for_referee(stack: Reachable) -> None:
    """Until Nakama reaches the rules service: wrong options are then refused by it, not for want of it."""
    with ExitStack() as cleanup:
        user = Room(stack, cleanup).user()
        while _refused_with(user) == UNAVAILABLE:
            time.sleep(POLL_S)


def _refused_with(user: NakamaClient) -> int:
    try:
        user.rpc("set_create_match", {"maxPlayers": 0})
    except NakamaError as refusal:
        return refusal.code
    raise AssertionError("a table without seats was made")


def as_server(stack: Reachable, rpc: str, payload: Mapping[str, object]) -> dict[str, Any]:
    """Call an RPC as another server does: with Nakama's HTTP key and no user.

    Raises:
        NakamaError: It answered with an error.
    """
    answer = httpx.post(
        f"{stack.api_url}/v2/rpc/{rpc}",
        params={"http_key": HTTP_KEY, "unwrap": "true"},
        json=payload,
        timeout=ANSWER_WITHIN_S,
        trust_env=False,
    )
    content: dict[str, Any] = answer.json()
    if not answer.is_success:
        raise NakamaError(int(content.get("code", 2)), str(content.get("message", content)))
    return content


class Room:
    """Makes users, matches and players, and closes them after the test."""

    def __init__(self, stack: Reachable, cleanup: ExitStack) -> None:
        self.stack = stack
        self.cleanup = cleanup

    def user(self) -> NakamaClient:
        name = f"u{uuid.uuid4().hex[:12]}"
        client = NakamaClient(self.stack.api_url, f"device-{name}", name)
        self.cleanup.callback(client.close)
        return client

    def match(self, **options: Any) -> str:
        """A new match; where a seed is possible and none is given, its first board has a Set.

        Seed 0: any deck, for a service that allows no seeds.
        """
        seed = {} if options.get("mode") == "DAILY_CHALLENGE" else {"seed": next(SEEDS)}
        return str(as_server(self.stack, "set_create_match", {**seed, **options})["matchId"])

    def sit(
        self, match_id: str, user: NakamaClient | None = None, metadata: Mapping[str, str] | None = None
    ) -> Player:
        player = Player(user or self.user(), match_id, metadata=metadata)
        self.cleanup.callback(player.close)
        return player

    def table(self, seats: int, **options: Any) -> list[Player]:
        """So many users in one match that has started; with a Set on the board unless a seed was given."""
        match_id = self.match(**{"animationMs": QUICK, **options})
        players = [self.sit(match_id) for _ in range(seats)]
        for player in players:
            while not player.table.playing:
                player.receive()
            while not (player.table.sets or options.get("seed")):
                player.receive()  # today's board may have to grow first
        return players

    def two(self, **options: Any) -> tuple[Player, Player]:
        """Two players whose game has started."""
        one, other = self.table(2, **options)
        return one, other
