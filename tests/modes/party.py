"""The people of one match in any mode, each with the seats that they play."""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import pytest

from demo import messages as wire
from demo.sets import a_non_set
from demo.vocabulary import Op, Phase
from tests.modes.rules import MODES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from demo.player import Player
    from tests.native.room import Room

M = TypeVar("M", bound=wire.Message)

INSTANT: Final = {"validSet": 0, "refill": 0, "invalidSet": 0, "expandBoard": 0}
LOCAL_PLAYERS: Final = ("Ann", "Ben")
ONLINE, SINGLE, LOCAL, DAILY = MODES
LOOK_EVERY_S: Final = 0.02
CLAIMS: Final = count(1)

SHORTEST: Final[dict[str, dict[str, Any]]] = {
    ONLINE: {"mode": ONLINE},
    SINGLE: {"mode": SINGLE},
    LOCAL: {"mode": LOCAL, "localPlayers": list(LOCAL_PLAYERS)},
    DAILY: {"mode": DAILY},
}
"""The fewest options that make a match of a mode."""


def each_mode(rule: str, *modes: str) -> pytest.MarkDecorator:
    """Run a test in these modes (by default all), as proof of a rule in each."""
    return pytest.mark.parametrize(
        "mode",
        [pytest.param(mode, marks=pytest.mark.proves(rule, mode)) for mode in modes or MODES],
    )


class Place(NamedTuple):
    """A seat and who plays it."""

    player: Player
    seat: int

    @property
    def told(self) -> wire.Player:
        return self.player.table.players[self.seat]

    def claim(self, cards: Iterable[int], claim_id: str) -> str:
        """Claim for this seat; it is named only where the connection has several."""
        several = self.player.table.options is not None and self.player.table.options.mode == f"MODE_{LOCAL}"
        named = {"seat": self.seat} if several else {}
        self.player.send(Op.CLAIM, {"claimId": claim_id, "cardIds": list(cards), **named})
        return claim_id

    def judged(self, cards: Iterable[int]) -> wire.ClaimResult:
        """Claim, and return the result."""
        answer = self.player.verdict(self.claim(cards, f"claim {next(CLAIMS)}"))
        assert isinstance(answer, wire.ClaimResult), answer
        return answer

    def take_set(self) -> wire.ClaimResult:
        self.idle()
        answer = self.judged(self.player.a_set())
        assert answer.valid
        return answer

    def err(self) -> wire.ClaimResult:
        """Claim three cards that are no Set."""
        self.idle()
        return self.judged(a_non_set(self.player.table.board))

    def idle(self) -> wire.Snapshot:
        """Look until this seat's claims are taken or the game is over."""
        while not self._may_claim(seen := self.player.sync()):
            time.sleep(LOOK_EVERY_S)
        return seen

    def _may_claim(self, seen: wire.Snapshot) -> bool:
        own_lock_ms = seen.players[self.seat].locked_until_ms or 0
        return seen.phase == Phase.MATCH_END or (
            seen.phase == Phase.BOARD_IDLE and seen.now_ms >= own_lock_ms
        )


class Party(NamedTuple):
    """Everybody in a match whose game has started."""

    players: list[Player]
    places: list[Place]

    @property
    def host(self) -> Player:
        return self.players[0]

    @property
    def match_id(self) -> str:
        return self.host.match_id

    def everybody_hears(self, kind: type[M]) -> list[M]:
        return [player.wait_for(kind) for player in self.players]


def users_of(mode: str) -> int:
    return 2 if mode == ONLINE else 1


def options_of(mode: str, **options: Any) -> dict[str, Any]:
    return {"animationMs": INSTANT, **SHORTEST[mode], **options}


def party(room: Room, mode: str, **options: Any) -> Party:
    """The smallest match of a mode, started."""
    asked = options_of(mode, **options)
    users = asked.get("maxPlayers", users_of(mode)) - len(asked.get("bots", ())) * ("maxPlayers" in asked)
    players = room.table(users, **asked)
    return Party(players, [place for player in players for place in places_of(player)])


def places_of(player: Player) -> list[Place]:
    """The seats that a player plays, as the deal has told everybody."""
    told = player.table.players.items()
    return [Place(player, seat) for seat, dealt in told if dealt.user_id == player.client.user_id]
