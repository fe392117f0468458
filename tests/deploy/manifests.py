"""The Kubernetes manifests as objects."""

from __future__ import annotations

from typing import Any

import yaml

from demo.stack.settings import PROJECT

FOLDER = PROJECT / "deploy" / "kubernetes"

Manifest = dict[str, Any]


def kustomization() -> Manifest:
    return dict(yaml.safe_load((FOLDER / "kustomization.yaml").read_text()))


def manifests() -> list[Manifest]:
    """Return every object of every file that kustomize reads."""
    return [
        dict(each)
        for name in kustomization()["resources"]
        for each in yaml.safe_load_all((FOLDER / name).read_text())
    ]


def named(kind: str, name: str) -> Manifest:
    (found,) = (each for each in manifests() if (each["kind"], each["metadata"]["name"]) == (kind, name))
    return found


def workloads() -> list[Manifest]:
    return [each for each in manifests() if each["kind"] in ("Deployment", "StatefulSet")]


def pod(workload: Manifest) -> Manifest:
    return dict(workload["spec"]["template"]["spec"])


def containers() -> list[tuple[str, Manifest]]:
    """Return the name and the container of each workload."""
    return [(each["metadata"]["name"], found) for each in workloads() for found in pod(each)["containers"]]
