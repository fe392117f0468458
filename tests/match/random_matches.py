"""Random whole matches with claims, leaves and rejoins; a number always gives the same match."""

import random
from typing import Any, Final

from set_core.validator import find_sets_among
from tests.match.driver import MatchDriver, started
from tests.match.messages import PlayerMessage, claim, session_of

USERS: Final = ("ann", "bob", "cat")
OPTIONS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"penalty": "POINT", "tieBreakFewestInvalid": True},
    {"penalty": "TIME", "timeLimitSeconds": 120, "timePenaltySeconds": 20},
    {"timeLimitSeconds": 60, "penalizeStaleClaims": False},
    {"reconnectWindowSeconds": 2, "bots": [{"level": "HARD"}], "maxPlayers": 4},
    {"animationMs": {"validSet": 0, "refill": 0, "invalidSet": 0, "expandBoard": 0}},
    {"claimOrder": "ARRIVAL", "penalty": "TIME", "timeLimitSeconds": 120, "timePenaltySeconds": 20},
    {"claimOrder": "ARRIVAL", "bots": [{"level": "HARD"}], "maxPlayers": 4, "reconnectWindowSeconds": 2},
)


class RandomMatch:
    """One match; `play` runs it until its first game is over."""

    def __init__(self, number: int) -> None:
        self._chance = random.Random(number)
        options = {"maxPlayers": 3, "seed": number + 1, **OPTIONS[number % len(OPTIONS)]}
        self.driver = started(options, *USERS, chance=number)
        self._sessions = {user: session_of(user) for user in USERS}
        self._claims = 0

    def play(self) -> MatchDriver:
        driver = self.driver
        while not driver.session.end_reason:
            after_ms = self._chance.choice((1, 50, 50, 400, 3_000))
            driver.loop(*self._messages(driver.now_ms, after_ms), after_ms=after_ms)
            if not driver.ended and self._chance.random() < 0.03:
                self._join_or_leave()
        return driver

    def _messages(self, now_ms: int, within_ms: int) -> list[PlayerMessage]:
        """Return claims in the order of their receive times."""
        count = self._chance.choice((0, 1, 1, 2, 4))
        times_ms = sorted(now_ms + self._chance.randrange(within_ms) for _ in range(count))
        return [self._one_claim(received_ms) for received_ms in times_ms]

    def _one_claim(self, received_ms: int) -> PlayerMessage:
        self._claims += 1
        user = self._chance.choice(USERS)
        session = self._sessions[user]
        cards = self._cards()
        return claim(user, cards, f"claim-{self._claims}", session=session, received_ms=received_ms)

    def _cards(self) -> tuple[int, ...]:
        sets = find_sets_among(self.driver.board)
        if sets and self._chance.random() < 0.7:
            return self._chance.choice(sets)
        return tuple(self._chance.sample(range(81), 3))

    def _join_or_leave(self) -> None:
        user = self._chance.choice(USERS)
        session = self._sessions[user]
        if session in self.driver.present:
            end_connection = self._chance.choice(
                (self.driver.disconnect, self.driver.disconnect, self.driver.leave)
            )
            end_connection(user, session=session)
        else:
            self._sessions[user] = f"{user}-{self.driver.tick}"
            self.driver.join(user, session=self._sessions[user])
