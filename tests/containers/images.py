"""The images under test, and how a container of each is made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.containers.engine import common, marked_container, run_in, wait_until

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
GRACE_S: Final = 5
HARDENED: Final[dict[str, Any]] = {
    "read_only": True,
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges"],
}
NEWER: Final = (
    "from match_handler import state\n"
    "state.VERSION += 1\n"
    "state.READABLE_FROM = state.VERSION\n"
    "from match_handler.cli import main\n"
    "main(['serve'])\n"
)
"""The service as its next version, which writes states that this one cannot read."""


def postgres(network: Network) -> DockerContainer:
    env = {"POSTGRES_USER": "nakama", "POSTGRES_PASSWORD": "tests", "POSTGRES_DB": "nakama"}
    return marked_container(POSTGRES, network, "postgres").with_envs(**env)


def rules(network: Network, env: Mapping[str, str] | None = None, *aliases: str) -> DockerContainer:
    made = marked_container(RULES, network, *(aliases or ("rules",)), **HARDENED)
    return made.with_envs(**{"SET_MATCH_PLAINTEXT": "1", "SET_MATCH_ALLOW_SEED": "1", **(env or {})})


def newer_rules(network: Network) -> DockerContainer:
    """A replica of a later version."""
    return rules(network).with_kwargs(**common(), **HARDENED, entrypoint=["python", "-c", NEWER])


def delay(network: Network, alias: str, to: str, one_way_s: float) -> DockerContainer:
    """A proxy to the rules service that takes its time in both directions."""
    made = marked_container(RULES, network, alias, **HARDENED, entrypoint=["python", "-c", PROXY.read_text()])
    return made.with_command([to, str(one_way_s)])


def nakama(network: Network, port: int, name: str, env: Mapping[str, str]) -> DockerContainer:
    """Nakama, its API published on a port of this machine that stays the same when it is restarted."""
    made = marked_container(NAKAMA, network, name, **HARDENED).with_tmpfs_mount("/tmp")  # noqa: S108 - its own
    settings = {
        "NAKAMA_DATABASE": "nakama:tests@postgres:5432/nakama",
        "NAKAMA_NAME": name,
        "NAKAMA_GRACE_SEC": str(GRACE_S),
        "NAKAMA_TELEMETRY": "0",
        "SET_RULES_ADDR": "dns:///rules:7400",
        "SET_RULES_PLAINTEXT": "1",
    }
    return made.with_envs(**{**settings, **env}).with_bind_ports(API_PORT, port)


def wait_for_postgres(container: DockerContainer) -> None:
    asked = ("pg_isready", "--quiet", "--host=127.0.0.1", "--username=nakama", "--dbname=nakama")
    wait_until(container, lambda: run_in(container, *asked))


def wait_for_rules(container: DockerContainer) -> None:
    wait_until(container, lambda: run_in(container, "set-match", "healthcheck"))


def times_served(container: DockerContainer) -> int:
    """How often it has said that it serves, in all its starts."""
    return int(container.get_wrapped_container().logs().count(b'"serving"'))


def wait_until_served(container: DockerContainer, times: int) -> None:
    wait_until(container, lambda: times_served(container) >= times)


def wait_for_nakama(container: DockerContainer) -> None:
    wait_until(container, lambda: run_in(container, "nakama", "healthcheck"))
