"""What the images are like, whatever runs in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import docker
import pytest
from docker.errors import ContainerError

from tests.containers import images
from tests.containers.engine import LABEL, run_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from testcontainers.core.container import DockerContainer

    from tests.containers.stack import ContainerStack

pytestmark = pytest.mark.containers

OURS = (images.RULES, images.NAKAMA)


@pytest.fixture
def engine() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


def containers(stack: ContainerStack) -> tuple[DockerContainer, ...]:
    return (*stack.rules, stack.nakama)


@pytest.mark.parametrize("image", OURS)
def test_an_image_runs_as_nobody_special_and_knows_its_health(
    engine: docker.DockerClient,
    image: str,
) -> None:
    config: dict[str, Any] = engine.images.get(image).attrs["Config"]
    assert config["User"] == "10001:10001"
    assert config["Healthcheck"]["Test"][0] == "CMD"


def test_containers_have_nowhere_to_write_and_no_rights(stack: ContainerStack) -> None:
    for container in containers(stack):
        assert not run_in(container, "touch", "/here")
        assert run_in(container, "sh", "-c", "grep -q 'CapEff:.0000000000000000' /proc/1/status")


def test_no_tools_and_no_tests_are_shipped(stack: ContainerStack) -> None:
    for container in containers(stack):
        for tool in ("gcc", "go", "git", "pytest", "curl"):
            assert not run_in(container, "sh", "-c", f"command -v {tool}")
    assert not run_in(stack.rules[0], "python", "-c", "import tests")


def test_nakamas_secrets_are_in_no_command_line(stack: ContainerStack) -> None:
    assert not run_in(stack.nakama, "sh", "-c", "grep -q tests@ /proc/1/cmdline")


def said_when_refusing(engine: docker.DockerClient, image: str) -> str:
    with pytest.raises(ContainerError) as refused:
        engine.containers.run(image, remove=True, read_only=True, labels={LABEL: "1"}, tmpfs={"/tmp": ""})  # noqa: S108
    return str(refused.value.stderr.decode())


def test_without_a_word_on_tls_the_service_does_not_start(engine: docker.DockerClient) -> None:
    said = said_when_refusing(engine, images.RULES)
    assert said.startswith("set-match: listen: 0.0.0.0:7400 serves other machines in plain text")
    assert said.count("\n") == 1


def test_without_a_database_nakama_does_not_start(engine: docker.DockerClient) -> None:
    said = said_when_refusing(engine, images.NAKAMA)
    assert "NAKAMA_DATABASE is not set" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("image", "base", "most_mb"),
    [(images.RULES, images.PYTHON, 60), (images.NAKAMA, images.DEBIAN, 150)],
)
def test_an_image_adds_little_to_its_base(
    engine: docker.DockerClient,
    image: str,
    base: str,
    most_mb: int,
) -> None:
    sizes = [engine.images.get(name).attrs["Size"] for name in (image, base)]
    assert sizes[0] - sizes[1] < most_mb * 1_000_000
