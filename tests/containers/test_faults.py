"""Faults while two players play on: no claim lost, none counted twice, nobody thrown out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.containers import disturbances

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.containers.contest import Contest
    from tests.containers.stack import ContainerStack
    from tests.containers.toll import FaultTable, Toll

pytestmark = [pytest.mark.containers, pytest.mark.timeout(600)]

KILLS = 10
FREEZES = 4
RESTARTS = 3


def repeat(contest: Contest, times: int, what: Callable[[], None]) -> Toll:
    toll = contest.during(what)
    for _ in range(times - 1):
        toll += contest.during(what)
    contest.play_to_the_end()
    return toll


def assert_nothing_lost(toll: Toll) -> None:
    assert toll.claims > 0
    assert (toll.lost, toll.twice, toll.thrown_out) == (0, 0, 0)


def test_without_a_fault(contest: Contest, faults: FaultTable) -> None:
    toll = repeat(contest, RESTARTS, disturbances.nothing)
    faults.add("none", toll)
    assert_nothing_lost(toll)
    assert contest.pauses() == 0


def test_every_replica_killed(contest: Contest, stack: ContainerStack, faults: FaultTable) -> None:
    toll = repeat(contest, KILLS, partial(disturbances.kill, stack.rules))
    faults.add("kill -9 of every replica", toll)
    assert_nothing_lost(toll)
    assert toll.meanwhile >= KILLS


def test_one_replica_of_two_killed(contest: Contest, stack: ContainerStack, faults: FaultTable) -> None:
    toll = repeat(contest, KILLS, partial(disturbances.kill, stack.rules[:1]))
    faults.add("kill -9 of one replica of two", toll)
    assert_nothing_lost(toll)
    assert toll.meanwhile >= KILLS


def test_every_replica_frozen(contest: Contest, stack: ContainerStack, faults: FaultTable) -> None:
    toll = repeat(contest, FREEZES, partial(disturbances.freeze, stack.rules))
    faults.add("every replica frozen", toll)
    assert_nothing_lost(toll)
    assert toll.meanwhile >= FREEZES


def test_one_replica_of_two_frozen(contest: Contest, stack: ContainerStack, faults: FaultTable) -> None:
    toll = repeat(contest, FREEZES, partial(disturbances.freeze, stack.rules[:1]))
    faults.add("one replica of two frozen", toll)
    assert_nothing_lost(toll)
    assert toll.meanwhile >= FREEZES


def test_replicas_restarted_in_turn_and_nobody_notices(
    contest: Contest,
    stack: ContainerStack,
    faults: FaultTable,
) -> None:
    toll = repeat(contest, RESTARTS, partial(disturbances.restart_in_turn, stack.rules))
    faults.add("rolling restart of two replicas", toll)
    assert_nothing_lost(toll)
    assert contest.pauses() == 0
