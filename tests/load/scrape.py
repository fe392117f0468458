"""What the service and Nakama tell Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
from prometheus_client.parser import text_string_to_metric_families

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.samples import Sample


def samples(port: int, path: str = "/metrics") -> Iterator[Sample]:
    """Every sample that a port of this machine serves."""
    answer = httpx.get(f"http://127.0.0.1:{port}{path}", trust_env=False, timeout=30)
    for family in text_string_to_metric_families(answer.raise_for_status().text):
        yield from family.samples


def total(port: int, name: str, **labels: str) -> float:
    """The sum of a metric over all samples that have these labels."""
    return sum(
        sample.value
        for sample in samples(port)
        if sample.name == name and labels.items() <= sample.labels.items()
    )
