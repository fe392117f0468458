"""PostgreSQL, two replicas of the rules service and Nakama, each in a container, in one network."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from demo.ports import HOST, free_port
from tests.containers import images
from tests.containers.engine import marked_network

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from testcontainers.core.container import DockerContainer
    from testcontainers.core.network import Network

REPLICAS = 2


class ContainerStack:
    """The containers of one stack. What the tests stop, they start again."""

    def __init__(self, network: Network, cleanup: ExitStack) -> None:
        """Start everything, in order of need."""
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
        """Where players reach Nakama."""
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
    """One more Nakama on the same database, with other settings."""

    def __init__(self, container: DockerContainer, port: int) -> None:
        self.container = container
        self.api_url = f"http://{HOST}:{port}"


@contextmanager
def container_stack() -> Iterator[ContainerStack]:
    """A stack that is gone afterwards."""
    with ExitStack() as cleanup:
        network = cleanup.enter_context(marked_network())
        yield ContainerStack(network, cleanup)


@contextmanager
def other_nakama(
    stack: ContainerStack,
    name: str,
    env: Mapping[str, str],
    volumes: Mapping[Path, str] | None = None,
) -> Iterator[OtherNakama]:
    """A Nakama with other settings, for as long as the block takes; it sees these folders at these places."""
    port = free_port()
    made = images.nakama(stack.network, port, name, env)
    for folder, place in (volumes or {}).items():
        made.with_volume_mapping(folder, place)
    with made as container:
        images.wait_for_nakama(container)
        yield OtherNakama(container, port)
