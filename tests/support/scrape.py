"""Prometheus metrics of the service and Nakama."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
from prometheus_client.parser import text_string_to_metric_families

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.samples import Sample


def text(port: int) -> str:
    """Return the metrics text of a local port."""
    answer = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False, timeout=30)
    return answer.raise_for_status().text


def samples(port: int) -> Iterator[Sample]:
    """Yield every sample."""
    for family in text_string_to_metric_families(text(port)):
        yield from family.samples


def total(port: int, name: str, **labels: str) -> float:
    """Return the sum of a metric over all samples with these labels."""
    return sum(
        sample.value
        for sample in samples(port)
        if sample.name == name and labels.items() <= sample.labels.items()
    )
