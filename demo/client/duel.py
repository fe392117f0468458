"""A game of two players: valid claims, some invalid claims, some races for the same Set."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from demo.client.player import Player

MISTAKE_SHARE = 0.15
RACE_SHARE = 0.2


def play_duel(
    players: Sequence[Player], longest_pause_s: float = 0.0, rng: random.Random | None = None
) -> None:
    """Play until both players have received the result.

    Args:
        players: Two players who have joined the match.
        longest_pause_s: Longest pause before a claim, in seconds; the shortest is a quarter of it.
        rng: Chooses claimants, claims and pauses. The default has a random seed.
    """
    rng = rng or random.Random()  # noqa: S311 - the choices of a demo are not secret
    while True:
        for player in players:
            player.wait_until_idle()
        if all(player.model.results is not None for player in players):
            return
        time.sleep(rng.uniform(longest_pause_s / 4, longest_pause_s))
        _claim(players, rng)


def _claim(players: Sequence[Player], rng: random.Random) -> None:
    player, choice = rng.choice(players), rng.random()
    if choice < MISTAKE_SHARE and player.can_claim_non_set:
        player.wait_for_answer(player.claim_non_set())
    elif choice < MISTAKE_SHARE + RACE_SHARE:
        claims = [(each, each.claim_set()) for each in players]
        for each, claim_id in claims:
            each.wait_for_answer(claim_id)
    else:
        player.wait_for_answer(player.claim_set())
