"""What the service and Nakama tell Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
from prometheus_client.parser import text_string_to_metric_families

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.samples import Sample


def text(port: int) -> str:
    """What a port of this machine serves."""
    answer = httpx.get(f"http://127.0.0.1:{port}/metrics", trust_env=False, timeout=30)
    return answer.raise_for_status().text


def names(port: int) -> set[str]:
    """The names of all samples as they are written; the parser would change those of Nakama's counters."""
    return {line.split("{")[0].split()[0] for line in text(port).splitlines() if line and line[0] != "#"}


def samples(port: int) -> Iterator[Sample]:
    """Every sample."""
    for family in text_string_to_metric_families(text(port)):
        yield from family.samples


def total(port: int, name: str, **labels: str) -> float:
    """The sum of a metric over all samples that have these labels."""
    return sum(
        sample.value
        for sample in samples(port)
        if sample.name == name and labels.items() <= sample.labels.items()
    )
