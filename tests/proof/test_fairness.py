"""Contested Sets: two players claim the same Set at nearly the same time, in random order."""

import random

import pytest

from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, started
from tests.match.messages import claim
from tests.proof.ledger import Tries

FEW, MANY = 100, 2_000
TICK_MS = 50
LOWER, HIGHER = "ann", "bob"
CLAIM = "the winner of a contested Set is the first to arrive (ARRIVAL) or the lower user id (TICK)"
HOW = "games of two players, each Set contested within one tick, in random order"


def _contest(driver: MatchDriver, chance: random.Random) -> tuple[str, str]:
    """Run one contested Set within one tick; return the first to arrive and the winner."""
    users = [LOWER, HIGHER]
    chance.shuffle(users)
    cards = chance.choice(driver.sets)
    times_ms = sorted(driver.now_ms + chance.randrange(TICK_MS) for _ in users)
    messages = [
        claim(user, cards, f"{driver.calls}-{user}", received_ms=at_ms)
        for user, at_ms in zip(users, times_ms, strict=True)
    ]
    results = [message for message in driver.loop(*messages) if message.op_code is OpCode.CLAIM_RESULT]
    (winner,) = [message.body["userId"] for message in results if message.body["valid"]]
    driver.wait(5_000)
    return users[0], winner


def _contests(order: str, count: int) -> list[tuple[str, str]]:
    """Return the first to arrive and the winner of each contested Set; a new match follows each game."""
    chance = random.Random(17)
    contests: list[tuple[str, str]] = []
    while len(contests) < count:
        driver = started({"claimOrder": order, "seed": chance.randrange(1, 2**31)}, LOWER, HIGHER)
        while len(contests) < count and not driver.session.end_reason:
            contests.append(_contest(driver, chance))
    return contests


@pytest.mark.claim(CLAIM, HOW)
@pytest.mark.parametrize("order", ["TICK", "ARRIVAL"])
def test_contested_set_goes_to_the_right_player(order: str, tried: Tries) -> None:
    contests = _contests(order, FEW)

    tried(len(contests))
    assert {first for first, _ in contests} == {LOWER, HIGHER}
    assert all(winner == (first if order == "ARRIVAL" else LOWER) for first, winner in contests)


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.claim(CLAIM, HOW)
def test_arrival_gives_equal_players_equal_shares(tried: Tries) -> None:
    contests = _contests("ARRIVAL", MANY)

    tried(len(contests))
    assert all(winner == first for first, winner in contests)
    assert 0.47 <= sum(winner == LOWER for _, winner in contests) / MANY <= 0.53
