"""PostgreSQL, two replicas of the rules service and Nakama, each in a container, in one network."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from demo.stack.ports import HOST, free_port
from tests.containers import images
from tests.containers.engine import labeled_network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from testcontainers.core.container import DockerContainer
    from testcontainers.core.network import Network

REPLICAS = 2


class ContainerStack:
    """The containers of one stack. A test that stops a container starts it again."""

    def __init__(self, network: Network, cleanup: ExitStack) -> None:
        """Start all containers, each after the containers that it needs."""
        self.network = network
        self._cleanup = cleanup
        self._port = free_port()
        self.postgres = self.add(images.postgres(network), images.wait_for_postgres)
        self.rules = [self.start(images.rules(network)) for _ in range(REPLICAS)]
        for replica in self.rules:
            images.wait_for_rules(replica)
        self.nakama = self.add(images.nakama(network, self._port, "nakama", {}), images.wait_for_nakama)

    @property
    def api_url(self) -> str:
        """The address of Nakama for clients."""
        return f"http://{HOST}:{self._port}"

    def start(self, container: DockerContainer) -> DockerContainer:
        """Start a container that ends with the stack."""
        self._cleanup.enter_context(container)
        return container

    def add(self, container: DockerContainer, wait: Callable[[DockerContainer], None]) -> DockerContainer:
        """Start a container that ends with the stack, and wait until it is ready."""
        wait(self.start(container))
        return container


class OtherNakama:
    """A second Nakama on the same database, with other settings."""

    def __init__(self, container: DockerContainer, port: int) -> None:
        self.container = container
        self.api_url = f"http://{HOST}:{port}"


@contextmanager
def container_stack() -> Iterator[ContainerStack]:
    """Run a stack during the block."""
    with ExitStack() as cleanup:
        network = cleanup.enter_context(labeled_network())
        yield ContainerStack(network, cleanup)


@contextmanager
def other_nakama(
    stack: ContainerStack,
    name: str,
    env: Mapping[str, str],
    volumes: Mapping[Path, str] | None = None,
) -> Iterator[OtherNakama]:
    """Run a second Nakama during the block, with these settings and these folders as volumes."""
    port = free_port()
    nakama = images.nakama(stack.network, port, name, env)
    for folder, path in (volumes or {}).items():
        nakama.with_volume_mapping(folder, path)
    with nakama as container:
        images.wait_for_nakama(container)
        yield OtherNakama(container, port)
