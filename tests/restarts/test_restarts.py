"""Restarts of Nakama in single matches: no match and no result is lost, and nothing counts twice."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from demo.client.nakama_socket import NakamaError
from tests.restarts import faults
from tests.restarts.conftest import RESTARTS
from tests.restarts.matches import Kind, RestartedMatch
from tests.restarts.measurements import Restarts
from tests.support.clients import LOCAL, SINGLE, wait_until
from tests.support.judged import Restart

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.containers.measurements import FaultTable
    from tests.support.clients import Clients
    from tests.support.fixtures import StackUnderTest

    Fault = Callable[[StackUnderTest], float]
    Course = Callable[[RestartedMatch, Callable[[], float]], Restart]

pytestmark = [pytest.mark.nakama, pytest.mark.timeout(1200)]

MOST_CLAIMS_BEFORE = 12
LONGEST_WAIT_S = 0.1

TWO = Kind()
EIGHT = Kind(users=8)
PASS_AND_PLAY = Kind(LOCAL, users=1)
BOT = Kind(SINGLE, users=1, options={"bots": [{"level": "HARD"}]})
SPECTATORS = Kind(spectators=3)
ARRIVAL = Kind(options={"claimOrder": "ARRIVAL"})


def in_the_game(match: RestartedMatch, fault: Callable[[], float]) -> Restart:
    """Restart Nakama after a random number of claims and a random time."""
    match.join(match.kind.users)
    claims = random.randint(1, MOST_CLAIMS_BEFORE)
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(match.play)
        wait_until(lambda: len(match.judged) >= claims or playing.done())
        time.sleep(random.uniform(0.0, LONGEST_WAIT_S))
        killed_at = time.monotonic()
        started_at = fault()
        playing.result()
    return Restart(killed_at, started_at)


def while_waiting(match: RestartedMatch, fault: Callable[[], float]) -> Restart:
    """Restart Nakama before the last player joins."""
    match.join(match.kind.users - 1)
    killed_at = time.monotonic()
    started_at = fault()
    for player in match.players:
        player.sync()
    match.join(1)
    match.play()
    return Restart(killed_at, started_at)


def before_the_rematch(match: RestartedMatch, fault: Callable[[], float]) -> Restart:
    """Restart Nakama directly after the end of a game, and play a second game."""
    match.join(match.kind.users)
    match.play()
    killed_at = time.monotonic()
    started_at = fault()
    match.request_rematch()
    match.play()
    return Restart(killed_at, started_at)


KILLS: list[tuple[str, Kind, Course, Fault]] = [
    ("kill -9, two players", TWO, in_the_game, faults.kill),
    ("kill -9, two players, claims judged on arrival", ARRIVAL, in_the_game, faults.kill),
    ("kill -9, eight players", EIGHT, in_the_game, faults.kill),
    ("kill -9, pass & play", PASS_AND_PLAY, in_the_game, faults.kill),
    ("kill -9, one player and a bot", BOT, in_the_game, faults.kill),
    ("kill -9, two players and three spectators", SPECTATORS, in_the_game, faults.kill),
    ("kill -9, before the last player joins", TWO, while_waiting, faults.kill),
    ("kill -9, directly after the end, then a rematch", TWO, before_the_rematch, faults.kill),
    ("kill -9 of Nakama and the service, two players", TWO, in_the_game, faults.kill_with_service),
    ("kill -9 of Nakama and the database, two players", TWO, in_the_game, faults.kill_with_database),
    ("kill -9, and twice during the start, two players", TWO, in_the_game, faults.kill_starts),
]
STOPS: list[tuple[str, Kind, Course, Fault]] = [
    ("SIGTERM, two players", TWO, in_the_game, faults.terminate),
    ("SIGTERM, two players, claims judged on arrival", ARRIVAL, in_the_game, faults.terminate),
    ("SIGTERM, pass & play", PASS_AND_PLAY, in_the_game, faults.terminate),
    ("SIGTERM, before the last player joins", TWO, while_waiting, faults.terminate),
    ("SIGTERM, directly after the end, then a rematch", TWO, before_the_rematch, faults.terminate),
]


def measure(clients: Clients, stack: StackUnderTest, kind: Kind, course: Course, fault: Fault) -> Restarts:
    match = RestartedMatch(clients, kind)
    try:
        restart = course(match, lambda: fault(stack))
    except NakamaError:
        return Restarts(times=1, matches=1, matches_lost=1)
    return match.measure(restart)


@pytest.mark.parametrize("case", KILLS + STOPS, ids=lambda case: case[0])
def test_match_survives_the_restart(
    clients: Clients,
    stoppable_stack: StackUnderTest,
    fault_table: FaultTable,
    case: tuple[str, Kind, Course, Fault],
) -> None:
    name, kind, course, fault = case
    total = Restarts()
    for _ in range(RESTARTS):
        total += measure(clients, stoppable_stack, kind, course, fault)
    fault_table.add(name, total)
    assert total.claims > 0
    assert (total.matches_lost, total.counted_twice, total.results_wrong) == (0, 0, 0)
    assert total.missing == 0 or fault is not faults.terminate
