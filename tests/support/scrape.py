"""Prometheus metrics of the service and Nakama."""

from __future__ import annotations

import httpx
from prometheus_client.parser import text_string_to_metric_families


def text(port: int) -> str:
    """Return the metrics text of a local port."""
    answer = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False, timeout=30)
    return answer.raise_for_status().text


def total(port: int, name: str, **labels: str) -> float:
    """Return the sum of a metric over all samples with these labels."""
    return sum(
        sample.value
        for family in text_string_to_metric_families(text(port))
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )
