"""TLS, client certificates and the token between Nakama and the service: who fits plays, others hear why."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from demo.nakama_socket import NakamaError
from tests.containers import disturbances, images
from tests.containers.certificates import make_certificates
from tests.containers.contest import SEED, Contest
from tests.containers.engine import last_lines, run_in
from tests.containers.stack import other_nakama
from tests.native.room import Room

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from testcontainers.core.container import DockerContainer

    from tests.containers.stack import ContainerStack

pytestmark = pytest.mark.containers

UNAVAILABLE = 14
TRIES = 20
TOKEN = "open-sesame"  # noqa: S105 - of these tests
FITTING = {
    "SET_RULES_ADDR": "rules-tls:7400",
    "SET_RULES_PLAINTEXT": "0",
    "SET_RULES_TOKEN": TOKEN,
    "SET_RULES_TLS_CA": "/tls/ca.pem",
    "SET_RULES_TLS_CERT": "/tls/nakama.crt",
    "SET_RULES_TLS_KEY": "/tls/nakama.key",
}
MISFITS: dict[str, tuple[dict[str, str], str]] = {
    "an authority that did not sign the service's certificate": (
        {"SET_RULES_TLS_CA": "/tls/stranger.pem"},
        "certificate signed by unknown authority",
    ),
    "a certificate of the service that has expired": (
        {"SET_RULES_ADDR": "rules-expired:7400"},
        "certificate has expired",
    ),
    "no client certificate": (
        {"SET_RULES_TLS_CERT": "", "SET_RULES_TLS_KEY": ""},
        "wants a client certificate: SET_RULES_TLS_CERT",
    ),
    "another token": ({"SET_RULES_TOKEN": "open-barley"}, "a valid bearer token is needed"),
    "no token": ({"SET_RULES_TOKEN": ""}, "a valid bearer token is needed"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tls")
    make_certificates(made)
    return made


def guarded(stack: ContainerStack, folder: Path, name: str, certificate: str) -> DockerContainer:
    """A rules service that wants certificates and a token."""
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
    """Two services, one of them with a certificate that has expired; the other is handed over."""
    good = guarded(stack, folder, "rules-tls", "rules")
    with good, guarded(stack, folder, "rules-expired", "expired") as expired:
        images.wait_for_rules(good)
        images.wait_until_served(expired, 1)
        yield good


def said(container: DockerContainer, problem: str) -> list[dict[str, Any]]:
    """The lines of the log that name this problem, or hint at it."""
    lines = (line for line in last_lines(container, 200).splitlines() if line.startswith("{"))
    return [line for line in map(json.loads, lines) if problem in f"{line.get('problem')} {line.get('hint')}"]


def nakama_with(env: Mapping[str, str], folder: Path) -> dict[str, Any]:
    return {"env": {**FITTING, **env}, "volumes": {folder: "/tls"}}


@pytest.mark.usefixtures("services")
def test_with_the_right_certificates_and_token_a_match_is_played(stack: ContainerStack, folder: Path) -> None:
    with other_nakama(stack, "fitting", **nakama_with({}, folder)) as nakama, ExitStack() as cleanup:
        contest = Contest(Room(nakama, cleanup), SEED)
        toll = contest.during(disturbances.nothing)
    assert toll.claims > 0
    assert toll.lost == 0


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(("env", "problem"), MISFITS.values(), ids=MISFITS)
def test_who_does_not_fit_is_refused_and_the_log_says_why(
    stack: ContainerStack,
    folder: Path,
    env: dict[str, str],
    problem: str,
) -> None:
    with other_nakama(stack, "misfit", **nakama_with(env, folder)) as nakama, ExitStack() as cleanup:
        user = Room(nakama, cleanup).user()
        for _ in range(TRIES):
            with pytest.raises(NakamaError, match="rules service unavailable, try again") as refused:
                user.rpc("set_create_match", {})
            assert refused.value.code == UNAVAILABLE
            if lines := said(nakama.container, problem):
                break
        else:
            pytest.fail(last_lines(nakama.container))
    assert {line["msg"] for line in lines} == {"set: the rules service cannot be used"}


def test_the_health_check_knows_the_settings_of_the_service(services: DockerContainer) -> None:
    assert run_in(services, "set-match", "healthcheck")
    assert not run_in(services, "set-match", "healthcheck", "--tls-ca", "/tls/stranger.pem")
    assert not run_in(services, "set-match", "healthcheck", "--tls-name", "another")
