"""The images: user, health check, privileges, contents, size, and errors for missing settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import docker
import pytest
from docker.errors import ContainerError

from tests.containers import images
from tests.containers.engine import LABEL, run_in
from tests.containers.stack import other_nakama

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
    for secret in (images.PASSWORD, "PASSWORD"):
        assert not run_in(stack.nakama, "grep", "-qF", secret, "/proc/1/cmdline")


def test_log_of_nakama_contains_no_database_password(stack: ContainerStack) -> None:
    log = stack.nakama.get_wrapped_container().logs()
    assert b"Database connections" in log
    assert images.PASSWORD.encode() not in log
    assert quote(images.PASSWORD, safe="").encode() not in log


def test_nakama_starts_with_all_its_secrets(stack: ContainerStack) -> None:
    names = ("SERVER_KEY", "HTTP_KEY", "SESSION_KEY", "REFRESH_KEY", "CONSOLE_KEY", "CONSOLE_PASSWORD")
    secrets = {f"NAKAMA_{name}": f"test-{name}" for name in names}
    with other_nakama(stack, "secrets", {"NAKAMA_DEVELOPMENT": "0", **secrets}) as nakama:
        assert run_in(nakama.container, "nakama", "healthcheck")


def test_health_check_of_the_service_ignores_proxies(stack: ContainerStack) -> None:
    names = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy")
    env = dict.fromkeys(names, "http://127.0.0.1:9")
    with images.rules(stack.network, env, "proxied") as container:
        images.wait_for_rules(container)


def startup_error(engine: docker.DockerClient, image: str, **env: str) -> str:
    """Run an image with these settings only and return the error output."""
    options: dict[str, Any] = {"read_only": True, "labels": {LABEL: "1"}, "tmpfs": {"/tmp": ""}}  # noqa: S108
    with pytest.raises(ContainerError) as error:
        engine.containers.run(image, remove=True, environment=env, **options)
    return str(error.value.stderr.decode())


def test_service_without_tls_settings_does_not_start(engine: docker.DockerClient) -> None:
    output = startup_error(engine, images.RULES)
    assert output.startswith("set-match: listen: 0.0.0.0:7400 serves other machines in plain text")
    assert output.count("\n") == 1


def test_nakama_without_database_setting_does_not_start(engine: docker.DockerClient) -> None:
    output = startup_error(engine, images.NAKAMA)
    assert "NAKAMA_DATABASE is not set" in output
    assert output.count("\n") == 1


def test_nakama_with_public_secrets_does_not_start(engine: docker.DockerClient) -> None:
    output = startup_error(engine, images.NAKAMA, NAKAMA_DATABASE="nakama@postgres:5432/nakama")
    assert output.startswith("start: not set, or set to a publicly known value: NAKAMA_SERVER_KEY, ")
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
