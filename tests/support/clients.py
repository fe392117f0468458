"""Users, matches and players on a running stack, closed after the test; and `wait_until`."""

from __future__ import annotations

import json
import subprocess
import time
import uuid
from contextlib import ExitStack
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import httpx
import pytest

from demo.client.nakama_client import NakamaClient
from demo.client.nakama_socket import NakamaError
from demo.client.player import Player
from demo.client.reconnecting import ReconnectingPlayer
from demo.stack.rules_service import SET_MATCH
from set_core.deck import Deck
from set_core.validator import any_set_among

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from demo.client import messages as wire

T = TypeVar("T")

MODES: Final = ("ONLINE", "SINGLE_PLAYER", "PASS_AND_PLAY", "DAILY_CHALLENGE")
ONLINE, SINGLE, LOCAL, DAILY = MODES
CLAIM_ORDERS: Final = ("TICK", "ARRIVAL")
each_mode: Final = pytest.mark.parametrize("mode", MODES)

SEEDS = cycle(seed for seed in range(1, 100) if any_set_among(Deck(seed).order[:12]))
"""Seeds of decks whose first board has a Set: one board in thirty has none and starts with an expansion."""

INSTANT: Final = {"validSet": 0, "refill": 0, "invalidSet": 0, "expandBoard": 0}
QUICK: Final = {"validSet": 60, "refill": 40, "invalidSet": 40, "expandBoard": 40}

INVALID_ARGUMENT: Final = 3
NOT_FOUND: Final = 5
JOIN_REJECTED: Final = 5
"""Nakama's code of a rejected join."""
PERMISSION_DENIED: Final = 7
RESOURCE_EXHAUSTED: Final = 8
UNAVAILABLE: Final = 14

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


def wait_for_rules_service(stack: Reachable) -> None:
    """Wait until Nakama reaches the rules service: until then every call fails with UNAVAILABLE."""
    with ExitStack() as cleanup:
        user = Clients(stack, cleanup).user()
        wait_until(lambda: _error_code(user) != UNAVAILABLE)


def _error_code(user: NakamaClient) -> int:
    """Return the error code for options that are always invalid."""
    with pytest.raises(NakamaError) as error:
        user.rpc("set_create_match", {"maxPlayers": 0})
    return error.value.code


def wait_for_entry(user: NakamaClient, board: str) -> tuple[int, int]:
    """Wait for the user's own leaderboard entry and return its (score, subscore)."""
    return wait_until(lambda: user.leaderboard_entry(board))


def wait_for_record(user: NakamaClient, key: str, within_s: float = 60.0) -> dict[str, Any]:
    """Wait until a record is written under this key and return it, also while Nakama restarts."""

    def record() -> dict[str, Any] | None:
        try:
            return user.record(key)
        except (NakamaError, httpx.HTTPError):
            return None

    return wait_until(record, within_s)


def assert_replays(record: dict[str, Any], folder: Path) -> None:
    """Check that a record replays to the same result."""
    path = folder / "record.json"
    path.write_text(json.dumps(record))
    replayed = subprocess.run([SET_MATCH, "replay", path], capture_output=True, text=True, check=False)
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


def wait_until_unlisted(user: NakamaClient, match_id: str) -> None:
    """Wait until Nakama no longer lists a match."""
    wait_until(lambda: all(match["match_id"] != match_id for match in user.matches()))


def rpc_as_server(stack: Reachable, rpc: str, payload: Mapping[str, object] | str) -> dict[str, Any]:
    """Call an RPC as another server: with Nakama's HTTP key and without a user.

    Raises:
        NakamaError: The RPC returned an error.
    """
    response = httpx.post(
        f"{stack.api_url}/v2/rpc/{rpc}",
        params={"http_key": HTTP_KEY, "unwrap": "true"},
        content=payload if isinstance(payload, str) else json.dumps(payload),
        timeout=RPC_TIMEOUT_S,
        trust_env=False,
    )
    content: dict[str, Any] = response.json()
    if not response.is_success:
        raise NakamaError(int(content.get("code", 2)), str(content.get("message", content)))
    return content


def options_of(mode: str, **options: Any) -> dict[str, Any]:
    """Return options for a match of this mode, without animations."""
    names = {"localPlayers": ["Ann", "Ben"]} if mode == LOCAL else {}
    return {"mode": mode, "animationMs": INSTANT, **names, **options}


class Clients:
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

    def create_match(self, mode: str = ONLINE, **options: Any) -> str:
        """Create a match without animations and return its id.

        Without a seed in the options the first board has a Set, except in a daily challenge.
        Seed 0 means a random deck, also for a service that rejects other seeds.
        """
        seed = {} if mode == DAILY else {"seed": next(SEEDS)}
        options = options_of(mode, **{**seed, **options})
        return str(rpc_as_server(self.stack, "set_create_match", options)["matchId"])

    def join(
        self, match_id: str, user: NakamaClient | None = None, metadata: Mapping[str, str] | None = None
    ) -> Player:
        """Join a match, by default as a new user.

        Raises:
            NakamaError: The join was rejected.
        """
        player = Player(user or self.user(), match_id, metadata=metadata)
        self.cleanup.callback(player.close)
        return player

    def join_reconnecting(
        self,
        match_id: str,
        listener: Callable[[wire.Message], None] = lambda _: None,
        metadata: Mapping[str, str] | None = None,
    ) -> ReconnectingPlayer:
        """Join a match as a new user who joins again after a lost connection."""
        player = ReconnectingPlayer(self.user(), match_id, listener, metadata)
        self.cleanup.callback(player.close)
        return player

    def start_match(self, mode: str = ONLINE, **options: Any) -> list[Player]:
        """Return the players of a new match that has started, with as few users as possible."""
        match_id = self.create_match(mode, **options)
        users = 2 if mode == ONLINE else 1
        if "maxPlayers" in options:
            users = options["maxPlayers"] - len(options.get("bots", ()))
        players = [self.join(match_id) for _ in range(users)]
        for player in players:
            while not player.model.playing:
                player.receive()
            while not (player.model.sets or options.get("seed")):
                player.receive()  # the first board of a daily challenge may have no Set
        return players

    def pair(self, **options: Any) -> tuple[Player, Player]:
        """Return two players in a new match that has started."""
        one, other = self.start_match(**options)
        return one, other
