"""The real stack for every test here, and players at its tables."""

from __future__ import annotations

import uuid
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from demo.nakama_client import NakamaClient
from demo.player import Player
from demo.settings import PROJECT, with_free_ports
from demo.stack import NativeStack

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from demo import messages as wire

QUICK = {"validSet": 60, "refill": 40, "invalidSet": 40, "expandBoard": 40}
LOG_LINES = 25

stack_key = pytest.StashKey[NativeStack]()


@pytest.fixture(scope="session")
def stack(request: pytest.FixtureRequest) -> Iterator[NativeStack]:
    """PostgreSQL, the rules service and Nakama; the service takes seeds."""
    settings = with_free_ports(PROJECT / "build" / "stack-tests", {"SET_MATCH_ALLOW_SEED": "1"})
    with NativeStack(settings) as running:
        request.config.stash[stack_key] = running
        yield running


class Room:
    """Makes users, matches and players, and closes them after the test."""

    def __init__(self, stack: NativeStack, cleanup: ExitStack) -> None:
        self.stack = stack
        self._cleanup = cleanup

    def user(self) -> NakamaClient:
        name = f"u{uuid.uuid4().hex[:12]}"
        client = NakamaClient(self.stack.api_url, f"device-{name}", name)
        self._cleanup.callback(client.close)
        return client

    def match(self, **options: Any) -> str:
        return str(self.user().rpc("set_create_match", options)["matchId"])

    def sit(self, match_id: str, user: NakamaClient | None = None) -> Player:
        player = Player(user or self.user(), match_id)
        self._cleanup.callback(player.close)
        return player

    def two(self, **options: Any) -> tuple[Player, Player]:
        """Two players whose game has started."""
        match_id = self.match(**{"animationMs": QUICK, **options})
        one, other = self.sit(match_id), self.sit(match_id)
        for player in (one, other):
            while not player.table.playing:
                player.receive()
        return one, other


@pytest.fixture
def room(stack: NativeStack) -> Iterator[Room]:
    with ExitStack() as cleanup:
        yield Room(stack, cleanup)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    running = item.config.stash.get(stack_key, None)
    if report.failed and running is not None:
        for log in running.logs:
            lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
            report.sections.append((f"end of {log.name}", "\n".join(lines)))
    return report


def everything_but_time(snapshot: wire.Snapshot) -> dict[str, Any]:
    """A snapshot without what passes by itself."""
    fields = {name: getattr(snapshot, name) for name in snapshot.__struct_fields__}
    passing = ("now_ms", "time_remaining_ms", "locked_until_ms", "phase", "your_seats")
    return {name: value for name, value in fields.items() if name not in passing}
