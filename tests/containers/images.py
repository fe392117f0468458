"""The images under test, and functions that create a container of each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.containers.engine import common, labeled_container, run_in, wait_until_ready

if TYPE_CHECKING:
    from collections.abc import Mapping

    from testcontainers.core.container import DockerContainer
    from testcontainers.core.network import Network

RULES: Final = "set-match"
NAKAMA: Final = "set-nakama"
PYTHON: Final = "python:3.11-slim-bookworm"
DEBIAN: Final = "debian:bookworm-slim"
POSTGRES: Final = "postgres:15-bookworm"

PROXY: Final = Path(__file__).with_name("slow_proxy.py")
API_PORT: Final = 7350
PASSWORD: Final = "te/s#t%41?s@:w o'rdä"  # noqa: S105 - used only by these tests
GRACE_S: Final = 5
HARDENED: Final[dict[str, Any]] = {
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges"],
}
NEWER: Final = (
    "from match_handler.match import state\n"
    "state.VERSION += 1\n"
    "state.READABLE_FROM = state.VERSION\n"
    "from match_handler.cli import main\n"
    "main(['serve'])\n"
)
"""The service as a newer version whose states this version cannot read."""


def postgres(network: Network) -> DockerContainer:
    """Create the database."""
    env = {"POSTGRES_USER": "nakama", "POSTGRES_PASSWORD": PASSWORD, "POSTGRES_DB": "nakama"}
    return labeled_container(POSTGRES, network, "postgres").with_envs(**env)


def rules(network: Network, env: Mapping[str, str] | None = None, *aliases: str) -> DockerContainer:
    """Create a replica of the rules service."""
    container = labeled_container(RULES, network, *(aliases or ("rules",)), **HARDENED)
    container.with_tmpfs_mount("/tmp")  # noqa: S108 - in the container
    return container.with_envs(**{"SET_MATCH_PLAINTEXT": "1", "SET_MATCH_ALLOW_SEED": "1", **(env or {})})


def newer_rules(network: Network) -> DockerContainer:
    """Create a replica of a newer version."""
    return rules(network).with_kwargs(**common(), **HARDENED, entrypoint=["python", "-c", NEWER])


def delay(network: Network, alias: str, to: str, one_way_s: float) -> DockerContainer:
    """Create a proxy that delays the data of both directions."""
    entrypoint = ["python", "-c", PROXY.read_text()]
    container = labeled_container(RULES, network, alias, **HARDENED, entrypoint=entrypoint)
    return container.with_command([to, str(one_way_s)])


def nakama(network: Network, port: int, name: str, env: Mapping[str, str]) -> DockerContainer:
    """Create Nakama with its API on a port of this machine, which is the same after a restart."""
    container = labeled_container(NAKAMA, network, name, **HARDENED)
    container.with_tmpfs_mount("/tmp")  # noqa: S108 - in the container
    settings = {
        "NAKAMA_DEVELOPMENT": "1",
        "NAKAMA_DATABASE": "nakama@postgres:5432/nakama",
        "NAKAMA_DATABASE_PASSWORD": PASSWORD,
        "NAKAMA_NAME": name,
        "NAKAMA_GRACE_SEC": str(GRACE_S),
        "NAKAMA_TELEMETRY": "0",
        "SET_RULES_ADDR": "dns:///rules:7400",
        "SET_RULES_PLAINTEXT": "1",
    }
    return container.with_envs(**{**settings, **env}).with_bind_ports(API_PORT, port)


def wait_for_postgres(container: DockerContainer) -> None:
    """Wait until the database accepts connections."""
    command = ("pg_isready", "--quiet", "--host=127.0.0.1", "--username=nakama", "--dbname=nakama")
    wait_until_ready(container, lambda: run_in(container, *command))


def wait_for_rules(container: DockerContainer) -> None:
    """Wait until the health check of the rules service succeeds."""
    wait_until_ready(container, lambda: run_in(container, "set-match", "healthcheck"))


def count_serving(container: DockerContainer) -> int:
    """Return how often the service has logged that it serves, in all its starts."""
    return int(container.get_wrapped_container().logs().count(b'"serving"'))


def wait_until_serving(container: DockerContainer, times: int) -> None:
    """Wait until the service has logged this number of times that it serves."""
    wait_until_ready(container, lambda: count_serving(container) >= times)


def wait_for_nakama(container: DockerContainer) -> None:
    """Wait until the health check of Nakama succeeds."""
    wait_until_ready(container, lambda: run_in(container, "nakama", "healthcheck"))
