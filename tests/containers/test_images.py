"""The images: user, health check, privileges, contents, size, and errors for missing settings."""

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

IMAGES = (images.RULES, images.NAKAMA)


@pytest.fixture
def engine() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


def containers(stack: ContainerStack) -> tuple[DockerContainer, ...]:
    return (*stack.rules, stack.nakama)


@pytest.mark.parametrize("image", IMAGES)
def test_image_has_an_unprivileged_user_and_a_health_check(engine: docker.DockerClient, image: str) -> None:
    config: dict[str, Any] = engine.images.get(image).attrs["Config"]
    assert config["User"] == "10001:10001"
    assert config["Healthcheck"]["Test"][0] == "CMD"


def test_containers_are_read_only_without_capabilities(stack: ContainerStack) -> None:
    for container in containers(stack):
        assert not run_in(container, "touch", "/here")
        assert run_in(container, "sh", "-c", "grep -q 'CapEff:.0000000000000000' /proc/1/status")


def test_images_contain_no_tools_and_no_tests(stack: ContainerStack) -> None:
    for container in containers(stack):
        for tool in ("gcc", "go", "git", "pytest", "curl"):
            assert not run_in(container, "sh", "-c", f"command -v {tool}")
    assert not run_in(stack.rules[0], "python", "-c", "import tests")


def test_command_line_of_nakama_contains_no_secrets(stack: ContainerStack) -> None:
    assert not run_in(stack.nakama, "sh", "-c", "grep -q tests@ /proc/1/cmdline")


def startup_error(engine: docker.DockerClient, image: str) -> str:
    """Run an image without settings and return the error output."""
    with pytest.raises(ContainerError) as error:
        engine.containers.run(image, remove=True, read_only=True, labels={LABEL: "1"}, tmpfs={"/tmp": ""})  # noqa: S108
    return str(error.value.stderr.decode())


def test_service_without_tls_settings_does_not_start(engine: docker.DockerClient) -> None:
    output = startup_error(engine, images.RULES)
    assert output.startswith("set-match: listen: 0.0.0.0:7400 serves other machines in plain text")
    assert output.count("\n") == 1


def test_nakama_without_database_setting_does_not_start(engine: docker.DockerClient) -> None:
    output = startup_error(engine, images.NAKAMA)
    assert "NAKAMA_DATABASE is not set" in output
    assert output.count("\n") == 1


@pytest.mark.parametrize(
    ("image", "base", "max_mb"),
    [(images.RULES, images.PYTHON, 60), (images.NAKAMA, images.DEBIAN, 150)],
)
def test_image_adds_little_to_its_base(
    engine: docker.DockerClient, image: str, base: str, max_mb: int
) -> None:
    sizes = [engine.images.get(name).attrs["Size"] for name in (image, base)]
    assert sizes[0] - sizes[1] < max_mb * 1_000_000
