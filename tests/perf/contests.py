"""Contests: both players of a match claim the same Set at the same time. Who wins?"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.client.nakama_client import token_claims
from demo.client.vocabulary import Op
from set_core.validator import find_sets_among
from tests.perf.matches import SetMatch, settle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.perf.matches import Message

PAUSE_S = 1.6
"""Longer than the lock after a Set and an expansion of the board."""

ATTEMPTS = 4
"""Factor for the rounds, because a board may contain no Set, and because games end."""


@dataclass
class Wins:
    """Numbers of decided contests.

    Attributes:
        decided: All of them.
        lower_id: Won by the player with the lower user id.
        first_sent: Won by the player whose claim was sent first.
        lower_id_sent_first: Contests in which the player with the lower user id sent first.
    """

    decided: int = 0
    lower_id: int = 0
    first_sent: int = 0
    lower_id_sent_first: int = 0

    def row(self) -> dict[str, float]:
        """Return the number of contests and percentages of them."""
        counts = {
            "lower_id": self.lower_id,
            "first_sent": self.first_sent,
            "lower_id_sent_first": self.lower_id_sent_first,
        }
        shares = {f"{name}_percent": round(100 * n / max(1, self.decided), 1) for name, n in counts.items()}
        return {"contests": self.decided, **shares}


class ContestMatch(SetMatch):
    """A match of two players who claim the same Set, in random order."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)
        self._winners: list[int] = []
        self._order: list[int] = []

    def start_contest(self) -> None:
        """Send a claim of each player, one directly after the other, if the board contains a Set."""
        self._winners, self._order = [], []
        sets = find_sets_among(list(self._board.values()))
        if not sets:
            return
        self._order = random.sample((0, 1), 2)
        for index in self._order:
            self.claim_by(index, sets[0])

    def count(self, wins: Wins) -> None:
        """Count the contest if exactly one player has won it."""
        if len(self._winners) != 1:
            return
        [winner] = self._winners
        ids = [str(token_claims(token)["uid"]) for token in self.tokens]
        lower = ids.index(min(ids))
        wins.decided += 1
        wins.lower_id += winner == lower
        wins.first_sent += winner == self._order[0]
        wins.lower_id_sent_first += self._order[0] == lower

    def on_message(self, index: int, op_code: int, message: Message) -> None:
        super().on_message(index, op_code, message)
        if op_code == Op.CLAIM_RESULT and message.valid and message.claim_id.startswith(f"{index}-"):
            self._winners.append(index)


async def hold_contests(matches: Sequence[ContestMatch], contests: int) -> Wins:
    """Hold contests in all matches at the same time until so many are decided."""
    wins = Wins()
    for _ in range(ATTEMPTS * contests // len(matches)):
        for match in matches:
            match.start_contest()
            await asyncio.sleep(PAUSE_S / len(matches))
        await settle(matches)
        for match in matches:
            match.count(wins)
        if wins.decided >= contests:
            break
    return wins
