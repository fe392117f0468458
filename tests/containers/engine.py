"""The Docker engine as the tests use it: what they make bears a label, so nothing of an earlier run stays."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import docker
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network

if TYPE_CHECKING:
    from collections.abc import Callable

testcontainers_config.ryuk_disabled = True  # its image cannot be pulled everywhere; labels do its work

LABEL = "set-match.tests"
LOG_LINES = 40
POLL_S = 0.1
READY_WITHIN_S = 120.0


def remove_leftovers() -> None:
    """Remove every container, volume and network that a run of these tests has made."""
    client = docker.from_env()
    try:
        marked = {"label": LABEL}
        for container in client.containers.list(all=True, filters=marked, ignore_removed=True):
            container.remove(force=True, v=True)
        client.networks.prune(filters=marked)
        client.volumes.prune(filters=marked)
    finally:
        client.close()


def marked_network(*, internal: bool = False) -> Network:
    return Network(docker_network_kw={"labels": {LABEL: "1"}, "internal": internal})


def common() -> dict[str, Any]:
    """What every container here is made with."""
    return {"labels": {LABEL: "1"}}


def marked_container(image: str, network: Network, *aliases: str, **kwargs: Any) -> DockerContainer:
    """A container that is not started yet."""
    container = DockerContainer(image).with_network(network).with_network_aliases(*aliases)
    return container.with_kwargs(**common(), **kwargs)


def run_in(container: DockerContainer, *command: str) -> bool:
    """Whether the command succeeds in that container."""
    return bool(container.exec(list(command)).exit_code == 0)


def wait_until(container: DockerContainer, ready: Callable[[], bool]) -> None:
    """Wait for a container.

    Raises:
        RuntimeError: It ended, or took two minutes; the message is the end of its log.
    """
    deadline = time.monotonic() + READY_WITHIN_S
    while container.get_wrapped_container().status != "exited" and time.monotonic() < deadline:
        if is_running(container) and ready():
            return
        time.sleep(POLL_S)
    raise RuntimeError(f"{container.image} is not ready:\n{last_lines(container)}")


def is_running(container: DockerContainer) -> bool:
    container.reload()
    return bool(container.get_wrapped_container().status == "running")


def last_lines(container: DockerContainer, count: int = LOG_LINES) -> str:
    return str(container.get_wrapped_container().logs(tail=count).decode(errors="replace"))


def all_logs() -> list[tuple[str, str]]:
    """Every container of these tests and the end of its log."""
    client = docker.from_env()
    try:
        found = client.containers.list(all=True, filters={"label": LABEL}, ignore_removed=True)
        return [(each.name, each.logs(tail=LOG_LINES).decode(errors="replace")) for each in found]
    finally:
        client.close()
