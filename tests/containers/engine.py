"""Docker: containers and networks with a label, by which the next run removes leftovers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import docker
from testcontainers.core.config import testcontainers_config
from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network

from tests.support.clients import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

testcontainers_config.ryuk_disabled = True  # its image is not available everywhere; the label replaces it

LABEL = "set-match.tests"
LOG_LINES = 40
READY_WITHIN_S = 120.0


def remove_leftovers() -> None:
    """Remove every container, volume and network of earlier runs."""
    client = docker.from_env()
    try:
        labeled = {"label": LABEL}
        for container in client.containers.list(all=True, filters=labeled, ignore_removed=True):
            container.remove(force=True, v=True)
        client.networks.prune(filters=labeled)
        client.volumes.prune(filters=labeled)
    finally:
        client.close()


def labeled_network(*, internal: bool = False) -> Network:
    """Return a network that is not created yet."""
    return Network(docker_network_kw={"labels": {LABEL: "1"}, "internal": internal})


def common() -> dict[str, Any]:
    """Return the arguments of every container."""
    return {"labels": {LABEL: "1"}}


def labeled_container(image: str, network: Network, *aliases: str, **kwargs: Any) -> DockerContainer:
    """Return a container that is not started yet."""
    container = DockerContainer(image).with_network(network).with_network_aliases(*aliases)
    return container.with_kwargs(**common(), **kwargs)


def run_in(container: DockerContainer, *command: str) -> bool:
    """Run a command in a container and return whether it succeeds."""
    return bool(container.exec(list(command)).exit_code == 0)


def wait_until_ready(container: DockerContainer, is_ready: Callable[[], bool]) -> None:
    """Wait until a container runs and is ready.

    Raises:
        RuntimeError: It ended, or was not ready in time; the message contains the end of its log.
    """

    def ended_or_ready() -> str | None:
        container.reload()
        status = str(container.get_wrapped_container().status)
        return status if status == "exited" or (status == "running" and is_ready()) else None

    try:
        status = wait_until(ended_or_ready, READY_WITHIN_S)
    except TimeoutError:
        status = "not ready"
    if status != "running":
        raise RuntimeError(f"{container.image} is {status}:\n{last_lines(container)}")


def last_lines(container: DockerContainer, count: int = LOG_LINES) -> str:
    """Return the last lines of the log of a container."""
    return str(container.get_wrapped_container().logs(tail=count).decode(errors="replace"))


def all_logs() -> list[tuple[str, str]]:
    """Return the name of every container of the tests and the end of its log."""
    client = docker.from_env()
    try:
        containers = client.containers.list(all=True, filters={"label": LABEL}, ignore_removed=True)
        return [
            (container.name, container.logs(tail=LOG_LINES).decode(errors="replace"))
            for container in containers
        ]
    finally:
        client.close()
