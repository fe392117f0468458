"""What is done to containers while players play; each ends with everything as it was."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.containers import images

if TYPE_CHECKING:
    from collections.abc import Sequence

    from testcontainers.core.container import DockerContainer

AWAY_S = 1.0
FROZEN_S = 1.5
STOP_WITHIN_S = 10


def nothing() -> None:
    time.sleep(AWAY_S)


def kill(replicas: Sequence[DockerContainer]) -> None:
    """`kill -9`, and start them again a second later."""
    for replica in replicas:
        replica.get_wrapped_container().kill()
    time.sleep(AWAY_S)
    start(replicas)


def freeze(replicas: Sequence[DockerContainer]) -> None:
    """Stop them without a word, connections open, and let them go on."""
    for replica in replicas:
        replica.get_wrapped_container().pause()
    time.sleep(FROZEN_S)
    for replica in replicas:
        replica.get_wrapped_container().unpause()


def restart_in_turn(replicas: Sequence[DockerContainer]) -> None:
    """SIGTERM and a new start, one after the other, each when the one before it is ready."""
    for replica in replicas:
        replica.get_wrapped_container().stop(timeout=STOP_WITHIN_S)
        start([replica])


def start(replicas: Sequence[DockerContainer]) -> None:
    for replica in replicas:
        replica.get_wrapped_container().start()
    for replica in replicas:
        images.wait_for_rules(replica)
