"""TLS, client certificates and the token between Nakama and the rules service."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from demo.client.nakama_socket import NakamaError
from tests.containers import faults, images
from tests.containers.certificates import make_certificates
from tests.containers.claim_load import SEED, ClaimLoad
from tests.containers.engine import last_lines, run_in
from tests.containers.stack import other_nakama
from tests.support.clients import Clients

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from testcontainers.core.container import DockerContainer

    from tests.containers.stack import ContainerStack

pytestmark = pytest.mark.containers

UNAVAILABLE = 14
ATTEMPTS = 20
TOKEN = "correct-token"  # noqa: S105 - used only by these tests
VALID_ENV = {
    "SET_RULES_ADDR": "rules-tls:7400",
    "SET_RULES_PLAINTEXT": "0",
    "SET_RULES_TOKEN": TOKEN,
    "SET_RULES_TLS_CA": "/tls/ca.pem",
    "SET_RULES_TLS_CERT": "/tls/nakama.crt",
    "SET_RULES_TLS_KEY": "/tls/nakama.key",
}
INVALID_ENVS: dict[str, tuple[dict[str, str], str]] = {
    "unknown authority": (
        {"SET_RULES_TLS_CA": "/tls/untrusted.pem"},
        "certificate signed by unknown authority",
    ),
    "expired certificate of the service": (
        {"SET_RULES_ADDR": "rules-expired:7400"},
        "certificate has expired",
    ),
    "no client certificate": (
        {"SET_RULES_TLS_CERT": "", "SET_RULES_TLS_KEY": ""},
        "requires a client certificate: SET_RULES_TLS_CERT",
    ),
    "wrong token": ({"SET_RULES_TOKEN": "wrong-token"}, "a valid bearer token is needed"),
    "no token": ({"SET_RULES_TOKEN": ""}, "a valid bearer token is needed"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the certificates."""
    path = tmp_path_factory.mktemp("tls")
    make_certificates(path)
    return path


def secured_rules(stack: ContainerStack, folder: Path, name: str, certificate: str) -> DockerContainer:
    """Create a rules service that requires client certificates and a token."""
    env = {
        "SET_MATCH_PLAINTEXT": "0",
        "SET_MATCH_TOKEN": TOKEN,
        "SET_MATCH_TLS_CA": "/tls/ca.pem",
        "SET_MATCH_TLS_CERT": f"/tls/{certificate}.crt",
        "SET_MATCH_TLS_KEY": f"/tls/{certificate}.key",
        "SET_MATCH_HEALTH_NAME": name,
    }
    return images.rules(stack.network, env, name).with_volume_mapping(folder, "/tls")


@pytest.fixture(scope="module")
def services(stack: ContainerStack, folder: Path) -> Iterator[DockerContainer]:
    """Run two services, one with an expired certificate; return the other one."""
    valid = secured_rules(stack, folder, "rules-tls", "rules")
    with valid, secured_rules(stack, folder, "rules-expired", "expired") as expired:
        images.wait_for_rules(valid)
        images.wait_until_serving(expired, 1)
        yield valid


def logged_problems(container: DockerContainer, problem: str) -> list[dict[str, Any]]:
    """Return the log lines that contain this text in their problem or hint."""
    lines = (line for line in last_lines(container, 200).splitlines() if line.startswith("{"))
    return [line for line in map(json.loads, lines) if problem in f"{line.get('problem')} {line.get('hint')}"]


def nakama_with(env: Mapping[str, str], folder: Path) -> dict[str, Any]:
    """Return the arguments of `other_nakama` for valid settings that `env` changes."""
    return {"env": {**VALID_ENV, **env}, "volumes": {folder: "/tls"}}


@pytest.mark.usefixtures("services")
def test_match_runs_with_valid_certificates_and_token(stack: ContainerStack, folder: Path) -> None:
    with other_nakama(stack, "valid", **nakama_with({}, folder)) as nakama, ExitStack() as cleanup:
        measurement = ClaimLoad(Clients(nakama, cleanup), SEED).measure(faults.no_fault)
    assert measurement.claims > 0
    assert measurement.lost == 0


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(("env", "problem"), INVALID_ENVS.values(), ids=INVALID_ENVS)
def test_invalid_credentials_are_rejected_and_logged(
    stack: ContainerStack, folder: Path, env: dict[str, str], problem: str
) -> None:
    with other_nakama(stack, "invalid", **nakama_with(env, folder)) as nakama, ExitStack() as cleanup:
        user = Clients(nakama, cleanup).user()
        for _ in range(ATTEMPTS):
            with pytest.raises(NakamaError, match="rules service unavailable, try again") as error:
                user.rpc("set_create_match", {})
            assert error.value.code == UNAVAILABLE
            if lines := logged_problems(nakama.container, problem):
                break
        else:
            pytest.fail(last_lines(nakama.container))
    assert {line["msg"] for line in lines} == {"set: the rules service cannot be used"}


def test_health_check_uses_the_settings_of_the_service(services: DockerContainer) -> None:
    assert run_in(services, "set-match", "healthcheck")
    assert not run_in(services, "set-match", "healthcheck", "--tls-ca", "/tls/untrusted.pem")
    assert not run_in(services, "set-match", "healthcheck", "--tls-name", "another")
