"""The compose file as users start it: healthy containers, a match, scaling and secrets."""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import docker
import httpx
import pytest
import yaml

from demo.client.duel import play_duel
from demo.stack.ports import HOST, free_port
from demo.stack.settings import PROJECT
from tests.support.clients import Clients

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.containers, pytest.mark.timeout(600)]

NAME = "set-match-tests"
COMPOSE = (str(PROJECT / "scripts" / "compose"), "--project-name", NAME)
LABEL = f"com.docker.compose.project={NAME}"
SECRETS = {
    "POSTGRES_PASSWORD": "p/a#s%41s?w@o:r d'",
    "NAKAMA_SESSION_KEY": 'it\'s "quoted"',
    "NAKAMA_CONSOLE_PASSWORD": "a-console-password",
}
TOKEN = "a'token"  # noqa: S105 - used only by these tests
READABLE_FOR_ALL = 0o644


class ComposeStack:
    """The project of the compose file, with its own ports and secrets, and two workers in each replica."""

    def __init__(self, token_file: Path) -> None:
        token_file.write_text(f"{TOKEN}\n")
        token_file.chmod(READABLE_FOR_ALL)
        self.port = free_port()
        self.page_port = free_port()
        ports = {
            "NAKAMA_PORT": self.port,
            "NAKAMA_GRPC_PORT": free_port(),
            "NAKAMA_CONSOLE_PORT": free_port(),
            "PAGE_PORT": self.page_port,
        }
        settings = {"SET_MATCH_WORKERS": 2, "SET_TOKEN_FILE": token_file, **ports}
        self._env = {**os.environ, **SECRETS, **{name: str(value) for name, value in settings.items()}}

    @property
    def api_url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def run(self, *arguments: str) -> str:
        """Run a command of compose and return its output."""
        command = [COMPOSE[0], *COMPOSE[1:], *arguments]
        completed = subprocess.run(command, env=self._env, capture_output=True, text=True, check=False)
        assert completed.returncode == 0, completed.stdout + completed.stderr
        return completed.stdout

    def wait(self) -> None:
        """Wait until all containers are healthy."""
        command = [COMPOSE[0], "wait", *COMPOSE[1:]]
        completed = subprocess.run(command, env=self._env, capture_output=True, text=True, check=False)
        assert completed.returncode == 0, completed.stderr + self.run("logs", "--tail=40")

    def containers(self) -> dict[str, list[dict[str, Any]]]:
        """Return the attributes of the containers, by service."""
        services: dict[str, list[dict[str, Any]]] = {}
        client = docker.from_env()
        for container in client.containers.list(all=True, filters={"label": LABEL}):
            services.setdefault(container.labels["com.docker.compose.service"], []).append(container.attrs)
        client.close()
        return services


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ComposeStack]:
    """The started project; it is removed after the tests of this file."""
    stack = ComposeStack(tmp_path_factory.mktemp("compose") / "token")
    stack.run("down", "--volumes", "--remove-orphans")
    try:
        stack.run("up", "--detach")
        stack.wait()
        yield stack
    finally:
        stack.run("down", "--volumes", "--remove-orphans")


def health(container: dict[str, Any]) -> str:
    return str(container["State"]["Health"]["Status"])


def test_stack_is_healthy_with_two_replicas(project: ComposeStack) -> None:
    services = project.containers()
    assert {name: len(containers) for name, containers in services.items()} == {
        "postgres": 1,
        "rules": 2,
        "nakama": 1,
        "page": 1,
    }
    assert {health(each) for containers in services.values() for each in containers} == {"healthy"}


def test_only_nakama_and_page_ports_are_published_locally(project: ComposeStack) -> None:
    for name, containers in project.containers().items():
        for container in containers:
            bindings = (container["HostConfig"]["PortBindings"] or {}).values()
            addresses = {binding["HostIp"] for each in bindings for binding in each}
            assert addresses == ({HOST} if name in {"nakama", "page"} else set())


def test_page_is_served_with_the_nakama_port(project: ComposeStack) -> None:
    site = f"http://{HOST}:{project.page_port}"
    assert "<title>" in httpx.get(site, trust_env=False).text
    config = httpx.get(f"{site}/config.json", trust_env=False).json()
    assert config == {"nakamaPort": project.port, "serverKey": "defaultkey"}


def test_match_continues_after_scaling_to_three_replicas(project: ComposeStack) -> None:
    with ExitStack() as cleanup:
        players = Clients(project, cleanup).pair(seed=0)
        players[0].wait_for_answer(players[0].claim_set())
        project.run("up", "--detach", "--no-recreate", "--scale", "rules=3")
        project.wait()
        assert len(project.containers()["rules"]) == 3
        play_duel(players)


def test_compose_file_works_with_both_compose_versions() -> None:
    content = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
    assert content.keys() == {"services", "networks", "secrets", "volumes"}
    assert all("container_name" not in service for service in content["services"].values())


def test_secrets_are_passed_to_nakama_unchanged(project: ComposeStack) -> None:
    (nakama,) = project.containers()["nakama"]
    completed = subprocess.run(
        ["docker", "exec", nakama["Id"], "cat", "/tmp/nakama.yml"],  # noqa: S108, S607 - in the container
        capture_output=True,
        text=True,
        check=True,
    )
    config = yaml.safe_load(completed.stdout)
    assert config["session"]["encryption_key"] == SECRETS["NAKAMA_SESSION_KEY"]
    assert config["console"]["password"] == SECRETS["NAKAMA_CONSOLE_PASSWORD"]
    assert "SET_RULES_TOKEN_FILE=/run/secrets/token" in config["runtime"]["env"]
    assert TOKEN not in completed.stdout
    assert config["database"]["address"] == ["nakama@postgres:5432/nakama"]
