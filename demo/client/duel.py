"""Driver for a match of two players: valid claims, some invalid claims, some races for the same Set."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from demo.client.player import Player

MISTAKE_SHARE = 0.15
RACE_SHARE = 0.2


class Pace(NamedTuple):
    """Shortest and longest delay before a claim, in seconds."""

    shortest_s: float
    longest_s: float


HUMAN_PACE = Pace(0.2, 0.9)


class Duel:
    """One match between two players that have joined it."""

    def __init__(self, one: Player, other: Player, pace: Pace, rng: random.Random | None = None) -> None:
        """Create a driver. Without `rng`, a generator with a random seed is used."""
        self.players = (one, other)
        self._pace = pace
        self._rng = rng or random.Random()  # noqa: S311 - the choices of a demo are not secret

    @property
    def over(self) -> bool:
        """Whether both players have received the result."""
        return all(player.model.results is not None for player in self.players)

    def play(self) -> None:
        """Play until the end of the game."""
        while not self.over:
            for player in self.players:
                player.wait_until_idle()
            if not self.over:
                self._claim()

    def race(self) -> None:
        """Send claims of both players for the same Set, and wait for both answers."""
        claim_ids = [player.claim_set() for player in self.players]
        for player, claim_id in zip(self.players, claim_ids, strict=True):
            player.wait_for_answer(claim_id)

    def _claim(self) -> None:
        time.sleep(self._rng.uniform(*self._pace))
        player = self._rng.choice(self.players)
        choice = self._rng.random()
        if choice < MISTAKE_SHARE and player.can_claim_non_set:
            player.wait_for_answer(player.claim_non_set())
        elif choice < MISTAKE_SHARE + RACE_SHARE:
            self.race()
        else:
            player.wait_for_answer(player.claim_set())
