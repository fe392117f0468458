"""Faults while two players play on: no claim lost, none counted twice, nobody thrown out."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.containers import disturbances, images
from tests.containers.contest import SEED, Contest
from tests.containers.stack import other_nakama
from tests.native.room import Room

if TYPE_CHECKING:
    from collections.abc import Iterator

    from testcontainers.core.container import DockerContainer

    from tests.containers.contest import Disturbance
    from tests.containers.stack import ContainerStack
    from tests.containers.toll import FaultTable, Toll

pytestmark = [pytest.mark.containers, pytest.mark.timeout(600)]

KILLS = 10
KILLS_OF_ONE = 4
FREEZES = 4
RESTARTS = 3
LATENCY_S = 0.2


def repeat(contest: Contest, times: int, what: Disturbance) -> Toll:
    toll = contest.during(what)
    for _ in range(times - 1):
        toll += contest.during(what)
    return toll


def outlived(contest: Contest, times: int, what: Disturbance) -> Toll:
    """The toll of a fault after which the match that goes on then is played to its end."""
    toll = repeat(contest, times, what)
    contest.play_to_the_end()
    return toll


@contextmanager
def stopped_later(container: DockerContainer) -> Iterator[DockerContainer]:
    """A container that the block starts, or not."""
    try:
        yield container
    finally:
        container.stop()


def assert_nothing_lost(toll: Toll) -> None:
    assert toll.claims > 0
    assert (toll.lost, toll.twice, toll.thrown_out) == (0, 0, 0)


def test_without_a_fault(contest: Contest, faults: FaultTable) -> None:
    toll = repeat(contest, RESTARTS, disturbances.nothing)
    faults.add("none", toll)
    assert_nothing_lost(toll)
    assert contest.pauses() == 0


def test_every_replica_killed(contest: Contest, stack: ContainerStack, faults: FaultTable) -> None:
    toll = outlived(contest, KILLS, partial(disturbances.kill, stack.rules))
    faults.add("kill -9 of every replica", toll)
    assert_nothing_lost(toll)
    assert toll.meanwhile >= KILLS


def test_one_replica_of_two_killed(contest: Contest, stack: ContainerStack, faults: FaultTable) -> None:
    toll = outlived(contest, KILLS_OF_ONE, partial(disturbances.kill, stack.rules[:1]))
    faults.add("kill -9 of one replica of two", toll)
    assert_nothing_lost(toll)
    assert toll.meanwhile >= KILLS_OF_ONE


def test_every_replica_frozen(contest: Contest, stack: ContainerStack, faults: FaultTable) -> None:
    toll = outlived(contest, FREEZES, partial(disturbances.freeze, stack.rules))
    faults.add("every replica frozen", toll)
    assert_nothing_lost(toll)
    assert toll.meanwhile >= FREEZES


def test_one_replica_of_two_frozen(contest: Contest, stack: ContainerStack, faults: FaultTable) -> None:
    toll = outlived(contest, FREEZES, partial(disturbances.freeze, stack.rules[:1]))
    faults.add("one replica of two frozen", toll)
    assert_nothing_lost(toll)
    assert toll.meanwhile >= FREEZES


def test_replicas_restarted_in_turn_and_nobody_notices(
    contest: Contest,
    stack: ContainerStack,
    faults: FaultTable,
) -> None:
    toll = outlived(contest, RESTARTS, partial(disturbances.restart_in_turn, stack.rules))
    faults.add("rolling restart of two replicas", toll)
    assert_nothing_lost(toll)
    assert contest.pauses() == 0


def test_a_slow_way_to_the_service(stack: ContainerStack, faults: FaultTable) -> None:
    env = {"SET_RULES_ADDR": "slow:7400"}
    proxy = images.delay(stack.network, "slow", "rules:7400", LATENCY_S / 2)
    with proxy, other_nakama(stack, "slow-way", env) as nakama, ExitStack() as cleanup:
        contest = Contest(Room(nakama, cleanup), SEED)
        toll = repeat(contest, 3, disturbances.nothing)
    faults.add("200 ms added to every call", toll)
    assert_nothing_lost(toll)
    assert toll.waited_s > LATENCY_S


def test_an_upgrade_to_a_version_whose_states_the_older_cannot_read(
    contest: Contest,
    stack: ContainerStack,
    faults: FaultTable,
) -> None:
    with ExitStack() as cleanup:
        newer = [cleanup.enter_context(stopped_later(images.newer_rules(stack.network))) for _ in stack.rules]
        cleanup.callback(disturbances.start, stack.rules)
        toll = outlived(contest, 1, partial(disturbances.replace_in_turn, stack.rules, newer))
    faults.add("upgrade to a newer state version, replica by replica", toll)
    assert_nothing_lost(toll)
    assert b"needs a reader of version" in stack.nakama.get_wrapped_container().logs()


def test_the_database_away(contest: Contest, stack: ContainerStack, faults: FaultTable) -> None:
    toll = contest.during(partial(disturbances.take_database_away, stack.postgres))
    faults.add("kill -9 of the database", toll)
    assert_nothing_lost(toll)
    assert contest.pauses() == 0
