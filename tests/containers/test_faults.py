"""Faults during matches of two players: no claim is lost or counted twice, no player is disconnected."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.containers import faults, images
from tests.containers.claim_load import SEED, ClaimLoad
from tests.containers.stack import other_nakama
from tests.support.clients import Clients

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from testcontainers.core.container import DockerContainer

    from tests.containers.claim_load import Fault
    from tests.containers.measurements import FaultTable, Measurement
    from tests.containers.stack import ContainerStack

pytestmark = [pytest.mark.containers, pytest.mark.timeout(600)]

RESTARTS = 3
LATENCY_S = 0.2


def measure(load: ClaimLoad, times: int, fault: Fault) -> Measurement:
    """Measure a fault several times, and check that nothing is lost."""
    measurement = load.measure(fault)
    for _ in range(times - 1):
        measurement += load.measure(fault)
    assert measurement.claims > 0
    assert (measurement.lost, measurement.duplicates, measurement.disconnections) == (0, 0, 0)
    return measurement


@contextmanager
def stopped_afterwards(container: DockerContainer) -> Iterator[DockerContainer]:
    """Stop a container after the block, which may start it."""
    try:
        yield container
    finally:
        container.stop()


def test_no_fault_loses_nothing(load: ClaimLoad, fault_table: FaultTable) -> None:
    fault_table.add("none", measure(load, RESTARTS, faults.no_fault))
    assert load.pauses() == 0


@pytest.mark.parametrize(
    "case",
    [
        ("kill -9 of every replica", faults.kill, 2, 10),
        ("kill -9 of one replica of two", faults.kill, 1, 4),
        ("every replica frozen", faults.freeze, 2, 4),
        ("one replica of two frozen", faults.freeze, 1, 4),
    ],
    ids=lambda case: case[0],
)
def test_killed_or_frozen_replicas_lose_nothing(
    load: ClaimLoad,
    stack: ContainerStack,
    fault_table: FaultTable,
    case: tuple[str, Callable[..., None], int, int],
) -> None:
    """A case is the name of the fault, its cause, the number of replicas, and how often it occurs."""
    name, cause, replicas, times = case
    measurement = measure(load, times, partial(cause, stack.rules[:replicas]))
    load.finish_matches()
    fault_table.add(name, measurement)
    assert measurement.during_fault >= times


def test_rolling_restart_causes_no_pause(
    load: ClaimLoad, stack: ContainerStack, fault_table: FaultTable
) -> None:
    measurement = measure(load, RESTARTS, partial(faults.rolling_restart, stack.rules))
    load.finish_matches()
    fault_table.add("rolling restart of two replicas", measurement)
    assert load.pauses() == 0


def test_slow_network_loses_nothing(stack: ContainerStack, fault_table: FaultTable) -> None:
    env = {"SET_RULES_ADDR": "slow:7400"}
    proxy = images.delay(stack.network, "slow", "rules:7400", LATENCY_S / 2)
    with proxy, other_nakama(stack, "slow-way", env) as nakama, ExitStack() as cleanup:
        measurement = measure(ClaimLoad(Clients(nakama, cleanup), SEED), RESTARTS, faults.no_fault)
    fault_table.add("200 ms added to every call", measurement)
    assert measurement.longest_wait_s > LATENCY_S


def rejected_states(stack: ContainerStack) -> int:
    """Return how often Nakama has logged that a replica was too old for a state."""
    log: bytes = stack.nakama.get_wrapped_container().logs()
    return log.count(b"needs a reader of version")


def test_upgrade_with_unreadable_states_loses_nothing(
    load: ClaimLoad, stack: ContainerStack, fault_table: FaultTable
) -> None:
    before = rejected_states(stack)
    with ExitStack() as cleanup:
        newer = [
            cleanup.enter_context(stopped_afterwards(images.newer_rules(stack.network))) for _ in stack.rules
        ]
        cleanup.callback(faults.start, stack.rules)
        fault = partial(
            faults.upgrade_with_rollback, stack.rules, newer, lambda: rejected_states(stack) > before
        )
        measurement = measure(load, 1, fault)
        load.finish_matches()
    fault_table.add("upgrade to a newer state version, with a rollback", measurement)
    assert rejected_states(stack) > before


def test_database_outage_causes_no_pause(
    load: ClaimLoad, stack: ContainerStack, fault_table: FaultTable
) -> None:
    measurement = measure(load, 1, partial(faults.database_outage, stack.postgres))
    fault_table.add("kill -9 of the database", measurement)
    assert load.pauses() == 0
