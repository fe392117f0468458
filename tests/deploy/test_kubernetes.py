"""The manifests are valid against the Kubernetes API schemas and consistent with each other."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from typing import Any

import kubernetes_validate
import pytest

from demo.stack.settings import PROJECT
from tests.deploy.manifests import (
    FOLDER,
    Manifest,
    containers,
    kustomization,
    manifests,
    named,
    pod,
    workloads,
)

OLDEST = "1.30"
NEWEST = kubernetes_validate.latest_version()
EXPECTED = {
    ("Namespace", "set"),
    ("Deployment", "rules"),
    ("Service", "rules"),
    ("HorizontalPodAutoscaler", "rules"),
    ("PodDisruptionBudget", "rules"),
    ("StatefulSet", "nakama"),
    ("Service", "nakama"),
    ("NetworkPolicy", "nothing"),
    ("NetworkPolicy", "rules"),
    ("NetworkPolicy", "nakama"),
}


def name_of(manifest: Manifest) -> str:
    return f"{manifest['kind']} {manifest['metadata']['name']}"


@pytest.mark.parametrize("release", [OLDEST, NEWEST])
@pytest.mark.parametrize("manifest", manifests(), ids=name_of)
def test_manifest_fits_the_api_schema(manifest: Manifest, release: str) -> None:
    kubernetes_validate.validate(manifest, release, strict=True)


def test_validator_detects_a_misspelt_field() -> None:
    wrong = json.loads(json.dumps(named("Deployment", "rules")).replace('"maxSurge"', '"maxSurgeries"'))
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, NEWEST, strict=True)


def test_all_objects_exist_and_all_files_are_used() -> None:
    assert {(each["kind"], each["metadata"]["name"]) for each in manifests()} == EXPECTED
    others = {"kustomization.yaml", *kustomization()["resources"]}
    assert {path.name for path in FOLDER.glob("*.yaml")} == others


def test_images_have_the_names_and_the_version_of_the_project() -> None:
    images = {image["name"]: image["newTag"] for image in kustomization()["images"]}
    assert images == dict.fromkeys(
        {container["image"] for _, container in containers()}, version("set-match")
    )


@pytest.mark.parametrize("workload", workloads(), ids=name_of)
def test_selectors_match_the_pods(workload: Manifest) -> None:
    labels = workload["spec"]["template"]["metadata"]["labels"]
    service = named("Service", workload["metadata"]["name"])
    assert workload["spec"]["selector"]["matchLabels"] == labels
    assert service["spec"]["selector"] == labels
    ports = {port["name"] for container in pod(workload)["containers"] for port in container["ports"]}
    assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports


@pytest.mark.parametrize(("name", "container"), containers(), ids=lambda value: str(value)[:12])
def test_containers_are_restricted(name: str, container: Manifest) -> None:
    security = container["securityContext"]
    assert security["readOnlyRootFilesystem"] is True
    assert security["allowPrivilegeEscalation"] is False
    assert security["capabilities"] == {"drop": ["ALL"]}
    identity = pod(next(each for each in workloads() if each["metadata"]["name"] == name))["securityContext"]
    assert (identity["runAsNonRoot"], identity["seccompProfile"]) == (True, {"type": "RuntimeDefault"})
    assert {"startupProbe", "readinessProbe", "livenessProbe"} <= container.keys()


def test_rules_service_resolves_to_all_its_addresses() -> None:
    assert named("Service", "rules")["spec"]["clusterIP"] == "None"
    address = settings(pod(named("StatefulSet", "nakama"))["containers"][0])["SET_RULES_ADDR"]
    assert address == f"dns:///rules:{named('Service', 'rules')['spec']['ports'][0]['port']}"


def settings(container: Manifest) -> dict[str, Any]:
    return {each["name"]: each.get("value") for each in container["env"]}


def test_both_sides_use_tls_with_client_certificates() -> None:
    for prefix, (_, container) in zip(("SET_MATCH", "SET_RULES"), containers(), strict=True):
        names = settings(container)
        assert {f"{prefix}_TLS_{part}" for part in ("CA", "CERT", "KEY")} <= names.keys()
        assert f"{prefix}_PLAINTEXT" not in names


def test_metrics_of_both_sides_are_open_to_the_collector() -> None:
    for name, container in containers():
        (port,) = [each["containerPort"] for each in container["ports"] if each["name"] == "metrics"]
        values = [*container.get("args", []), *map(str, settings(container).values())]
        assert any(str(port) in text for text in values)
        rules = named("NetworkPolicy", name)["spec"]["ingress"]
        (collector,) = [rule["from"] for rule in rules if {"port": "metrics"} in rule["ports"]]
        labels = {"kubernetes.io/metadata.name": "monitoring"}
        assert collector == [{"namespaceSelector": {"matchLabels": labels}}]


def test_pods_stop_later_than_their_grace_period() -> None:
    nakama = pod(named("StatefulSet", "nakama"))
    (container,) = nakama["containers"]
    grace = int(settings(container)["NAKAMA_GRACE_SEC"])
    before = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert nakama["terminationGracePeriodSeconds"] > before + grace


def test_node_name_of_nakama_is_the_same_after_an_update() -> None:
    nakama = named("StatefulSet", "nakama")
    (name,) = (each for each in pod(nakama)["containers"][0]["env"] if each["name"] == "NAKAMA_NAME")
    assert name["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.name"  # nakama-0, also of the next pod
    assert nakama["spec"]["replicas"] == 1


def test_readme_lists_every_secret_and_the_script_every_key() -> None:
    readme = (FOLDER / "README.md").read_text()
    used = set(re.findall(r"(?:secretName|secretRef:\s+name|secretKeyRef:\s+name): (\S+)", all_text()))
    assert used == {"rules-token", "rules-tls", "nakama-tls", "nakama"}
    assert all(f"| `{secret}` |" in readme for secret in used)
    keys = set(re.findall(r"NAKAMA_[A-Z_]+(?=[`,])", readme)) - {"NAKAMA_GRACE_SEC"}
    start = (PROJECT / "nakama" / "start").read_text()
    secrets = " ".join(re.findall(r"^(?:keys|secrets)=(.+)$", start, re.MULTILINE))
    assert keys == {*re.findall(r"NAKAMA_[A-Z_]+", secrets), "NAKAMA_CONSOLE_USER"}


def test_nakama_accepts_no_public_secrets() -> None:
    nakama = pod(named("StatefulSet", "nakama"))
    assert "NAKAMA_DEVELOPMENT" not in settings(nakama["containers"][0])
    assert nakama["enableServiceLinks"] is False  # the links would be unknown settings, such as NAKAMA_PORT


@pytest.mark.parametrize(
    ("workload", "name"),
    [("rules", "SET_MATCH_TOKEN"), ("nakama", "SET_RULES_TOKEN")],
    ids=["rules", "nakama"],
)
def test_token_is_a_mounted_file(workload: str, name: str) -> None:
    (found,) = (each for each in workloads() if each["metadata"]["name"] == workload)
    (container,) = pod(found)["containers"]
    assert name not in settings(container)
    assert settings(container)[f"{name}_FILE"] == f"{mount_of(container, 'token')}/token"
    assert volumes(found)["token"]["secret"] == {"secretName": "rules-token", "defaultMode": 0o440}


@pytest.mark.parametrize("workload", workloads(), ids=name_of)
def test_read_only_containers_have_a_temporary_folder(workload: Manifest) -> None:
    (container,) = pod(workload)["containers"]
    assert mount_of(container, "scratch") == "/tmp"  # noqa: S108 - in the container
    assert volumes(workload)["scratch"]["emptyDir"]["medium"] == "Memory"


def mount_of(container: Manifest, volume: str) -> str:
    (path,) = (each["mountPath"] for each in container["volumeMounts"] if each["name"] == volume)
    return str(path)


def volumes(workload: Manifest) -> dict[str, Manifest]:
    return {each["name"]: each for each in pod(workload)["volumes"]}


def all_text() -> str:
    return "\n".join((FOLDER / name).read_text() for name in kustomization()["resources"])
