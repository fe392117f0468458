"""Faults of containers: each is caused, lasts for a time, and is repaired before the function returns.

`on_effect` is called when the fault has had its effect.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.containers import images
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from testcontainers.core.container import DockerContainer

OUTAGE_S = 1.0
FREEZE_S = 1.5
OVERLAP_S = 1.5
"""Nakama reconnects after half a second at most, and resolves names once per second."""
STOP_WITHIN_S = 10


def no_fault(on_effect: Callable[[], None]) -> None:
    """Only wait, as the control of the measurement."""
    on_effect()
    time.sleep(OUTAGE_S)


def kill(replicas: Sequence[DockerContainer], on_effect: Callable[[], None]) -> None:
    """Kill replicas with SIGKILL, and start them again after a second."""
    for replica in replicas:
        replica.get_wrapped_container().kill()
    on_effect()
    time.sleep(OUTAGE_S)
    start(replicas)


def freeze(replicas: Sequence[DockerContainer], on_effect: Callable[[], None]) -> None:
    """Pause replicas with open connections, and resume them."""
    for replica in replicas:
        replica.get_wrapped_container().pause()
    on_effect()
    time.sleep(FREEZE_S)
    for replica in replicas:
        replica.get_wrapped_container().unpause()


def rolling_restart(replicas: Sequence[DockerContainer], on_effect: Callable[[], None]) -> None:
    """Restart one replica after the other with SIGTERM; in between all are running."""
    on_effect()
    for replica in replicas:
        stop([replica])
        start([replica])
        time.sleep(OVERLAP_S)


def rolling_upgrade(
    replicas: Sequence[DockerContainer],
    others: Sequence[DockerContainer],
    on_effect: Callable[[], None],
) -> None:
    """Replace one replica after the other by another one; in between old and new ones are running."""
    on_effect()
    for replica, other in zip(replicas, others, strict=True):
        stop([replica])
        other.start()
        images.wait_for_rules(other)
        time.sleep(OVERLAP_S)


def upgrade_with_rollback(
    older: Sequence[DockerContainer],
    newer: Sequence[DockerContainer],
    is_state_rejected: Callable[[], bool],
    on_effect: Callable[[], None],
) -> None:
    """Upgrade, return to one older replica until it has rejected a state, and upgrade again.

    When the older replica starts, only newer ones have served for a time, so it cannot read their states.
    """
    rolling_upgrade(older, newer, on_effect)
    start(older[:1])
    stop(newer)
    wait_until(is_state_rejected)
    start(newer)
    stop(older[:1])


def database_outage(database: DockerContainer, on_effect: Callable[[], None]) -> None:
    """Kill the database, and start it again after a second."""
    database.get_wrapped_container().kill()
    on_effect()
    time.sleep(OUTAGE_S)
    start_database(database)


def start_database(database: DockerContainer) -> None:
    """Start a stopped database and wait until it is ready."""
    database.get_wrapped_container().start()
    images.wait_for_postgres(database)


def stop(replicas: Sequence[DockerContainer]) -> None:
    """Stop replicas with SIGTERM."""
    for replica in replicas:
        replica.get_wrapped_container().stop(timeout=STOP_WITHIN_S)


def start(replicas: Sequence[DockerContainer]) -> None:
    """Start stopped replicas and wait until they serve."""
    starts = [images.count_serving(replica) for replica in replicas]
    for replica in replicas:
        replica.get_wrapped_container().start()
    for replica, count in zip(replicas, starts, strict=True):
        images.wait_until_serving(replica, count + 1)
