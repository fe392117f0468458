"""Whole matches of people who claim, err, leave and come back; a number always plays the same match."""

import random
from typing import Any, Final

from set_core.validator import find_sets_among
from tests.match.driver import TableDriver, started
from tests.match.said import Said, claim, session_of

USERS: Final = ("ann", "bob", "cat")
OPTIONS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"penalty": "POINT", "tieBreakFewestInvalid": True},
    {"penalty": "TIME", "timeLimitSeconds": 120, "timePenaltySeconds": 20},
    {"timeLimitSeconds": 60, "penalizeStaleClaims": False},
    {"reconnectWindowSeconds": 2, "bots": [{"level": "HARD"}], "maxPlayers": 4},
    {"animationMs": {"validSet": 0, "refill": 0, "invalidSet": 0, "expandBoard": 0}},
)


class RandomMatch:
    """One match, played by `play` until its first game is over."""

    def __init__(self, number: int) -> None:
        self._chance = random.Random(number)
        options = {"maxPlayers": 3, "seed": number + 1, **OPTIONS[number % len(OPTIONS)]}
        self.table = started(options, *USERS, chance=number)
        self._sessions = {user: session_of(user) for user in USERS}
        self._claims = 0

    def play(self) -> TableDriver:
        table = self.table
        while not table.session.end_reason:
            table.loop(*self._say(), after_ms=self._chance.choice((1, 50, 50, 400, 3_000)))
            if not table.ended and self._chance.random() < 0.03:
                self._come_or_go()
        return table

    def _say(self) -> list[Said]:
        return [self._one_claim() for _ in range(self._chance.choice((0, 1, 1, 2, 4)))]

    def _one_claim(self) -> Said:
        self._claims += 1
        user = self._chance.choice(USERS)
        session = self._sessions[user]
        cards = self._cards()
        return claim(user, cards, f"claim-{self._claims}", session=session)

    def _cards(self) -> tuple[int, ...]:
        sets = find_sets_among(self.table.board)
        if sets and self._chance.random() < 0.7:
            return self._chance.choice(sets)
        return tuple(self._chance.sample(range(81), 3))

    def _come_or_go(self) -> None:
        user = self._chance.choice(USERS)
        session = self._sessions[user]
        if session in self.table.present:
            part = self._chance.choice((self.table.lose, self.table.lose, self.table.leave))
            part(user, session=session)
        else:
            self._sessions[user] = f"{user}-{self.table.tick}"
            self.table.join(user, session=self._sessions[user])
