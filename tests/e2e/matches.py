"""Matches of any mode that have started, their players and the seats of each player."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import pytest

from demo.client import messages as wire
from demo.client.sets import a_non_set
from demo.client.vocabulary import Op, Phase
from tests.e2e.rules import MODES
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterable

    from demo.client.player import Player
    from tests.support.clients import Room

M = TypeVar("M", bound=wire.Message)

INSTANT: Final = {"validSet": 0, "refill": 0, "invalidSet": 0, "expandBoard": 0}
LOCAL_PLAYERS: Final = ("Ann", "Ben")
ONLINE, SINGLE, LOCAL, DAILY = MODES
CLAIM_NUMBERS: Final = count(1)

MINIMAL_OPTIONS: Final[dict[str, dict[str, Any]]] = {
    ONLINE: {"mode": ONLINE},
    SINGLE: {"mode": SINGLE},
    LOCAL: {"mode": LOCAL, "localPlayers": list(LOCAL_PLAYERS)},
    DAILY: {"mode": DAILY},
}
"""The fewest options that create a match of a mode."""

TIME_LIMIT_S: Final = 600
ENDED_BY_PENALTY: Final = {
    "timeLimitSeconds": TIME_LIMIT_S,
    "penalty": "TIME",
    "timePenaltySeconds": TIME_LIMIT_S,
}
"""Options of a game that ends with the first invalid claim."""


def each_mode(rule: str, *modes: str) -> pytest.MarkDecorator:
    """Run a test in these modes (default: all) as the proof of a rule in each mode."""
    return pytest.mark.parametrize(
        "mode",
        [pytest.param(mode, marks=pytest.mark.proves(rule, mode)) for mode in modes or MODES],
    )


class Seat(NamedTuple):
    """A seat: the connection that plays it, and its number."""

    player: Player
    number: int

    def claim(self, cards: Iterable[int], claim_id: str) -> str:
        """Send a claim of this seat; a claim names the seat only if the connection has several."""
        several = self.player.model.options is not None and self.player.model.options.mode == f"MODE_{LOCAL}"
        seat = {"seat": self.number} if several else {}
        self.player.send(Op.CLAIM, {"claimId": claim_id, "cardIds": list(cards), **seat})
        return claim_id

    def claim_result(self, cards: Iterable[int]) -> wire.ClaimResult:
        """Send a claim and return its result."""
        answer = self.player.wait_for_answer(self.claim(cards, f"claim {next(CLAIM_NUMBERS)}"))
        assert isinstance(answer, wire.ClaimResult), answer
        return answer

    def take_set(self) -> wire.ClaimResult:
        """Claim the first Set on the board."""
        self.wait_until_idle()
        result = self.claim_result(self.player.first_set())
        assert result.valid
        return result

    def claim_non_set(self) -> wire.ClaimResult:
        """Claim three cards that are not a Set."""
        self.wait_until_idle()
        return self.claim_result(a_non_set(self.player.model.board))

    def wait_until_idle(self) -> wire.Snapshot:
        """Wait until claims of this seat are accepted or the game is over."""
        return wait_until(self._idle_snapshot)

    def _idle_snapshot(self) -> wire.Snapshot | None:
        snapshot = self.player.sync()
        lock_ms = snapshot.players[self.number].locked_until_ms or 0
        idle = snapshot.phase == Phase.BOARD_IDLE and snapshot.now_ms >= lock_ms
        return snapshot if idle or snapshot.phase == Phase.MATCH_END else None


class StartedMatch(NamedTuple):
    """A match whose game has started: the connections and the seats of all players."""

    players: list[Player]
    seats: list[Seat]

    @property
    def first(self) -> Player:
        """The first player."""
        return self.players[0]

    @property
    def match_id(self) -> str:
        """The id of the match."""
        return self.first.match_id

    def wait_for(self, kind: type[M]) -> list[M]:
        """Wait until every player receives a message of this kind."""
        return [player.wait_for(kind) for player in self.players]


def options_of(mode: str, **options: Any) -> dict[str, Any]:
    """Return options for a match of this mode, without animations."""
    return {"animationMs": INSTANT, **MINIMAL_OPTIONS[mode], **options}


def start_match(room: Room, mode: str, **options: Any) -> StartedMatch:
    """Start a match of this mode with as few users as possible."""
    options = options_of(mode, **options)
    if "maxPlayers" in options:
        users = options["maxPlayers"] - len(options.get("bots", ()))
    else:
        users = 2 if mode == ONLINE else 1
    players = room.table(users, **options)
    return StartedMatch(players, [seat for player in players for seat in seats_of(player)])


def seats_of(player: Player) -> list[Seat]:
    """Return the seats that this player's connection plays."""
    players = player.model.players.items()
    return [Seat(player, number) for number, dealt in players if dealt.user_id == player.client.user_id]
