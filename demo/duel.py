"""Two players play a whole match: mostly Sets, now and then a mistake or a race for the same Set."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from demo.player import Player

MISTAKE_SHARE = 0.15
RACE_SHARE = 0.2


class Pace(NamedTuple):
    """How long players look at a board before they claim, in seconds."""

    shortest_s: float
    longest_s: float


LIKE_PEOPLE = Pace(0.2, 0.9)


class Duel:
    """One match between two players who have joined it."""

    def __init__(self, one: Player, other: Player, pace: Pace, chance: random.Random | None = None) -> None:
        """Take the players, how fast they are, and where chance comes from."""
        self.players = (one, other)
        self._pace = pace
        self._chance = chance or random.Random()  # noqa: S311 - how a demo plays is no secret

    @property
    def over(self) -> bool:
        """Whether both have heard of the end."""
        return all(player.table.results is not None for player in self.players)

    def play(self) -> None:
        """Play to the end."""
        while not self.over:
            for player in self.players:
                player.wait_until_idle()
            if not self.over:
                self._move()

    def race(self) -> None:
        """Let both claim the same Set at once, and wait for both answers."""
        claims = [player.claim_set() for player in self.players]
        for player, claim_id in zip(self.players, claims, strict=True):
            player.verdict(claim_id)

    def _move(self) -> None:
        time.sleep(self._chance.uniform(*self._pace))
        player = self._chance.choice(self.players)
        kind = self._chance.random()
        if kind < MISTAKE_SHARE and player.can_err:
            player.verdict(player.claim_non_set())
        elif kind < MISTAKE_SHARE + RACE_SHARE:
            self.race()
        else:
            player.verdict(player.claim_set())
