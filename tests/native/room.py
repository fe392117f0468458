"""Users, matches and players on a running stack, closed after the test; and `wait_until`."""

from __future__ import annotations

import time
import uuid
from contextlib import ExitStack, suppress
from itertools import cycle
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import httpx
from websockets.exceptions import WebSocketException

from demo.nakama_client import NakamaClient
from demo.nakama_socket import NakamaError
from demo.player import Player
from set_core.deck import Deck
from set_core.validator import any_set_among

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")

SEEDS = cycle(seed for seed in range(1, 100) if any_set_among(Deck(seed).order[:12]))
"""Seeds of decks whose first board has a Set: one board in thirty has none and starts with an expansion."""

QUICK = {"validSet": 60, "refill": 40, "invalidSet": 40, "expandBoard": 40}

UNAVAILABLE = 14
POLL_S = 0.05
HTTP_KEY = "defaulthttpkey"
RPC_TIMEOUT_S = 30.0


class Reachable(Protocol):
    """Any stack: clients need only Nakama's address."""

    @property
    def api_url(self) -> str: ...


def wait_until(condition: Callable[[], T | None], within_s: float = 60.0) -> T:
    """Poll a condition until it returns a true value, and return that value.

    Raises:
        TimeoutError: The condition was not true within this time.
    """
    deadline = time.monotonic() + within_s
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"the condition was not true within {within_s} s")
        time.sleep(POLL_S)
    return value


def rejoin(player: Player) -> None:
    """Join a match again with the same session token, as soon as the restarted Nakama accepts it."""

    def joined() -> bool:
        with suppress(NakamaError, OSError, WebSocketException):
            player.rejoin()
            return True
        return False

    wait_until(joined)


def wait_for_rules_service(stack: Reachable) -> None:
    """Wait until Nakama reaches the rules service: until then every call fails with UNAVAILABLE."""
    with ExitStack() as cleanup:
        user = Room(stack, cleanup).user()
        wait_until(lambda: _error_code(user) != UNAVAILABLE)


def _error_code(user: NakamaClient) -> int:
    """Return the error code for options that are always invalid."""
    try:
        user.rpc("set_create_match", {"maxPlayers": 0})
    except NakamaError as error:
        return error.code
    raise AssertionError("a match without seats was created")


def as_server(stack: Reachable, rpc: str, payload: Mapping[str, object]) -> dict[str, Any]:
    """Call an RPC as another server: with Nakama's HTTP key and without a user.

    Raises:
        NakamaError: The RPC returned an error.
    """
    response = httpx.post(
        f"{stack.api_url}/v2/rpc/{rpc}",
        params={"http_key": HTTP_KEY, "unwrap": "true"},
        json=payload,
        timeout=RPC_TIMEOUT_S,
        trust_env=False,
    )
    content: dict[str, Any] = response.json()
    if not response.is_success:
        raise NakamaError(int(content.get("code", 2)), str(content.get("message", content)))
    return content


class Room:
    """Creates users, matches and players, and closes them after the test."""

    def __init__(self, stack: Reachable, cleanup: ExitStack) -> None:
        self.stack = stack
        self.cleanup = cleanup

    def user(self) -> NakamaClient:
        """Return a new user with a session."""
        name = f"u{uuid.uuid4().hex[:12]}"
        client = NakamaClient(self.stack.api_url, f"device-{name}", name)
        self.cleanup.callback(client.close)
        return client

    def match(self, **options: Any) -> str:
        """Create a match and return its id.

        Without a seed in the options the first board has a Set, except in a daily challenge.
        Seed 0 means a random deck, also for a service that rejects other seeds.
        """
        seed = {} if options.get("mode") == "DAILY_CHALLENGE" else {"seed": next(SEEDS)}
        return str(as_server(self.stack, "set_create_match", {**seed, **options})["matchId"])

    def sit(
        self, match_id: str, user: NakamaClient | None = None, metadata: Mapping[str, str] | None = None
    ) -> Player:
        """Join a match, by default as a new user.

        Raises:
            NakamaError: The join was rejected.
        """
        player = Player(user or self.user(), match_id, metadata=metadata)
        self.cleanup.callback(player.close)
        return player

    def table(self, seats: int, **options: Any) -> list[Player]:
        """Return users in a new match that has started; without a seed in the options the board has a Set."""
        match_id = self.match(**{"animationMs": QUICK, **options})
        players = [self.sit(match_id) for _ in range(seats)]
        for player in players:
            while not player.model.playing:
                player.receive()
            while not (player.model.sets or options.get("seed")):
                player.receive()  # the first board of a daily challenge may have no Set
        return players

    def two(self, **options: Any) -> tuple[Player, Player]:
        """Return two players in a new match that has started."""
        one, other = self.table(2, **options)
        return one, other
