"""The dashboard and the alert rules ask only for what the service and the plugin really export."""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from demo.settings import PROJECT
from tests.load import scrape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from demo.stack import NativeStack
    from tests.native.room import Room

FOLDER = PROJECT / "deploy" / "grafana"
HEALTHY = PROJECT / "deploy" / "check" / "watch" / "testdata" / "healthy.series"
"""The series that the alarms are proven with."""

SERIES = re.compile(r"^(\w+)(?:\{(.*)\})? ", re.MULTILINE)
LABEL = re.compile(r'(\w+)="')
SCRAPED = {"instance"}
"""Labels that Prometheus adds."""

METRIC = re.compile(r"\b(?:nakama|set_match|process)_[a-z_]+\b")
LOOKS = 300
BETWEEN_LOOKS_S = 0.1


def dashboard() -> dict[str, Any]:
    return dict(json.loads((FOLDER / "dashboard.json").read_text()))


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((FOLDER / "rules.yml").read_text())["groups"]
    return list(group["rules"])


def expressions() -> Iterator[str]:
    for panel in dashboard()["panels"]:
        yield from (target["expr"] for target in panel.get("targets", []))
    yield from (rule["expr"] for rule in rules())


def wanted() -> set[str]:
    return {name for expression in expressions() for name in METRIC.findall(expression)}


def ports(stack: NativeStack) -> tuple[int, int]:
    """Where the service and Nakama serve their metrics."""
    return (
        int(stack.settings.rules_env["SET_MATCH_METRICS_PORT"]),
        int(stack.settings.nakama_flags["metrics.prometheus_port"]),
    )


def exported(stack: NativeStack) -> set[str]:
    return {name for port in ports(stack) for name in scrape.names(port)}


def shapes(text: str) -> set[tuple[str, frozenset[str]]]:
    """Names of series with those of their labels; the node is filled in where Nakama's are proven."""
    return {
        (name, frozenset(LABEL.findall(labels)) - SCRAPED - {"node_name"})
        for name, labels in SERIES.findall(text)
    }


@pytest.mark.nakama
def test_everything_that_is_asked_for_is_exported(stack: NativeStack, room: Room) -> None:
    one, other = room.two()
    one.verdict(one.claim_set())
    for player in (one, other):
        player.leave()

    for _ in range(LOOKS):
        missing = wanted() - exported(stack)
        if not missing:
            break
        time.sleep(BETWEEN_LOOKS_S)

    assert not missing


@pytest.mark.nakama
def test_the_alarms_are_proven_with_series_as_they_are(stack: NativeStack, room: Room) -> None:
    one, other = room.two()
    one.verdict(one.claim_set())
    for player in (one, other):
        player.leave()
    proven = {shape for shape in shapes(HEALTHY.read_text()) if not shape[0].startswith("process_")}

    for _ in range(LOOKS):
        strange = proven - {shape for port in ports(stack) for shape in shapes(scrape.text(port))}
        if not strange:
            break
        time.sleep(BETWEEN_LOOKS_S)

    assert strange == set()


def test_the_dashboard_is_one_that_grafana_takes() -> None:
    board = dashboard()
    panels = [panel for panel in board["panels"] if panel["type"] != "row"]

    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    assert all(panel["targets"] and panel["description"] for panel in panels)
    for panel in board["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24


def test_no_series_is_by_match_or_user() -> None:
    for expression in expressions():
        assert not re.search(r"match_id|user|\bmid\b|\buid\b", expression)


def test_every_alarm_is_explained() -> None:
    text = (PROJECT / "docs" / "operations.md").read_text()

    assert [rule["alert"] for rule in rules() if f"`{rule['alert']}`" not in text] == []
    assert {rule["labels"]["severity"] for rule in rules()} == {"page", "warn"}
    assert all(rule["annotations"]["summary"] for rule in rules())
