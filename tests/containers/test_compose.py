"""The compose file as users start it: it comes up healthy, a match is played on it, it scales, it goes."""

from __future__ import annotations

import os
import subprocess
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import docker
import httpx
import pytest
import yaml

from demo.duel import Duel, Pace
from demo.ports import HOST, free_port
from demo.settings import PROJECT
from tests.native.room import Room

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.containers, pytest.mark.timeout(600)]

NAME = "set-match-tests"
COMPOSE = (str(PROJECT / "scripts" / "compose"), "--project-name", NAME)
LABEL = f"com.docker.compose.project={NAME}"
SECRETS = {
    "SET_TOKEN": "a'token",
    "POSTGRES_PASSWORD": "word",
    "NAKAMA_SESSION_KEY": 'it\'s "quoted"',
    "NAKAMA_CONSOLE_PASSWORD": "a-console-password",
}


class ComposeStack:
    """The project of the compose file, with ports of its own."""

    def __init__(self) -> None:
        self.port = free_port()
        self.page_port = free_port()
        ports = {
            "NAKAMA_PORT": self.port,
            "NAKAMA_GRPC_PORT": free_port(),
            "NAKAMA_CONSOLE_PORT": free_port(),
            "PAGE_PORT": self.page_port,
        }
        self._env = {**os.environ, **SECRETS, **{name: str(port) for name, port in ports.items()}}

    @property
    def api_url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def run(self, *arguments: str) -> str:
        command = [COMPOSE[0], *COMPOSE[1:], *arguments]
        done = subprocess.run(command, env=self._env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def wait(self) -> None:
        command = [COMPOSE[0], "wait", *COMPOSE[1:]]
        done = subprocess.run(command, env=self._env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr + self.run("logs", "--tail=40")

    def containers(self) -> dict[str, list[dict[str, Any]]]:
        """What the engine knows of the containers, by service."""
        found: dict[str, list[dict[str, Any]]] = {}
        client = docker.from_env()
        for container in client.containers.list(all=True, filters={"label": LABEL}):
            found.setdefault(container.labels["com.docker.compose.service"], []).append(container.attrs)
        client.close()
        return found


@pytest.fixture(scope="module")
def project() -> Iterator[ComposeStack]:
    stack = ComposeStack()
    stack.run("down", "--volumes", "--remove-orphans")
    try:
        stack.run("up", "--detach")
        stack.wait()
        yield stack
    finally:
        stack.run("down", "--volumes", "--remove-orphans")


def health(container: dict[str, Any]) -> str:
    return str(container["State"]["Health"]["Status"])


def test_it_comes_up_healthy_with_two_replicas(project: ComposeStack) -> None:
    found = project.containers()
    assert {name: len(each) for name, each in found.items()} == {
        "postgres": 1,
        "rules": 2,
        "nakama": 1,
        "page": 1,
    }
    assert {health(container) for each in found.values() for container in each} == {"healthy"}


def test_only_what_players_need_is_published_and_to_this_machine_only(project: ComposeStack) -> None:
    for name, containers in project.containers().items():
        for container in containers:
            bindings = (container["HostConfig"]["PortBindings"] or {}).values()
            addresses = {binding["HostIp"] for each in bindings for binding in each}
            assert addresses == ({HOST} if name in {"nakama", "page"} else set())


def test_the_page_is_served_and_knows_where_nakama_is(project: ComposeStack) -> None:
    site = f"http://{HOST}:{project.page_port}"
    assert "<title>" in httpx.get(site, trust_env=False).text
    config = httpx.get(f"{site}/config.json", trust_env=False).json()
    assert config == {"nakamaPort": project.port, "serverKey": "defaultkey"}


def test_a_match_is_played_and_three_replicas_go_on_with_it(project: ComposeStack) -> None:
    with ExitStack() as cleanup:
        players = Room(project, cleanup).two(seed=0)
        players[0].verdict(players[0].claim_set())
        project.run("up", "--detach", "--no-recreate", "--scale", "rules=3")
        project.wait()
        assert len(project.containers()["rules"]) == 3
        Duel(*players, Pace(0.0, 0.0)).play()


def test_the_file_is_for_both_generations_of_compose() -> None:
    content = yaml.safe_load((PROJECT / "docker-compose.yml").read_text())
    assert content.keys() == {"services", "networks", "volumes"}
    assert all("container_name" not in service for service in content["services"].values())


def test_secrets_reach_their_programs_as_they_are(project: ComposeStack) -> None:
    (nakama,) = project.containers()["nakama"]
    read = subprocess.run(
        ["docker", "exec", nakama["Id"], "cat", "/tmp/nakama.yml"],  # noqa: S108, S607 - in the container
        capture_output=True,
        text=True,
        check=True,
    )
    config = yaml.safe_load(read.stdout)
    assert config["session"]["encryption_key"] == SECRETS["NAKAMA_SESSION_KEY"]
    assert config["console"]["password"] == SECRETS["NAKAMA_CONSOLE_PASSWORD"]
    assert f"SET_RULES_TOKEN={SECRETS['SET_TOKEN']}" in config["runtime"]["env"]
    assert SECRETS["POSTGRES_PASSWORD"] in config["database"]["address"][0]
