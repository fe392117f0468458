"""What is done to containers while players play; each ends with everything as it was."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.containers import images

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from testcontainers.core.container import DockerContainer

AWAY_S = 1.0
FROZEN_S = 1.5
SIDE_BY_SIDE_S = 1.5
"""Nakama connects again after half a second at the latest, and looks names up once a second."""
STOP_WITHIN_S = 10


def nothing(struck: Callable[[], None]) -> None:
    struck()
    time.sleep(AWAY_S)


def kill(replicas: Sequence[DockerContainer], struck: Callable[[], None]) -> None:
    """`kill -9`, and start them again a second later."""
    for replica in replicas:
        replica.get_wrapped_container().kill()
    struck()
    time.sleep(AWAY_S)
    start(replicas)


def freeze(replicas: Sequence[DockerContainer], struck: Callable[[], None]) -> None:
    """Stop them without a word, connections open, and let them go on."""
    for replica in replicas:
        replica.get_wrapped_container().pause()
    struck()
    time.sleep(FROZEN_S)
    for replica in replicas:
        replica.get_wrapped_container().unpause()


def restart_in_turn(replicas: Sequence[DockerContainer], struck: Callable[[], None]) -> None:
    """SIGTERM and a new start, one after the other; in between they serve side by side."""
    struck()
    for replica in replicas:
        replica.get_wrapped_container().stop(timeout=STOP_WITHIN_S)
        start([replica])
        time.sleep(SIDE_BY_SIDE_S)


def replace_in_turn(
    replicas: Sequence[DockerContainer],
    others: Sequence[DockerContainer],
    struck: Callable[[], None],
) -> None:
    """One replica after the other gives way to another one; in between they serve side by side."""
    struck()
    for replica, other in zip(replicas, others, strict=True):
        replica.get_wrapped_container().stop(timeout=STOP_WITHIN_S)
        other.start()
        images.wait_for_rules(other)
        time.sleep(SIDE_BY_SIDE_S)


def take_database_away(database: DockerContainer, struck: Callable[[], None]) -> None:
    database.get_wrapped_container().kill()
    struck()
    time.sleep(AWAY_S)
    bring_database_back(database)


def bring_database_back(database: DockerContainer) -> None:
    database.get_wrapped_container().start()
    images.wait_for_postgres(database)


def start(replicas: Sequence[DockerContainer]) -> None:
    served = [images.times_served(replica) for replica in replicas]
    for replica in replicas:
        replica.get_wrapped_container().start()
    for replica, times in zip(replicas, served, strict=True):
        images.wait_until_served(replica, times + 1)
