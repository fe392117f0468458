"""Dashboard and alert rules use only exported metrics."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from demo.stack.settings import PROJECT
from tests.support import scrape
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.clients import Clients
    from tests.support.fixtures import StackUnderTest

FOLDER = PROJECT / "deploy" / "grafana"
HEALTHY = PROJECT / "deploy" / "check" / "watch" / "testdata" / "healthy.series"
"""The series of the alert tests."""

SERIES = re.compile(r"^(\w+)(?:\{(.*)\})? ", re.MULTILINE)
LABEL = re.compile(r'(\w+)="')
PROMETHEUS_LABELS = {"instance"}
"""Labels added by Prometheus."""

METRIC = re.compile(r"\b(?:nakama|set_match|process)_[a-z_]+\b")


def dashboard() -> dict[str, Any]:
    return dict(json.loads((FOLDER / "dashboard.json").read_text()))


def rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((FOLDER / "rules.yml").read_text())["groups"]
    return list(group["rules"])


def expressions() -> Iterator[str]:
    for panel in dashboard()["panels"]:
        yield from (target["expr"] for target in panel.get("targets", []))
    yield from (rule["expr"] for rule in rules())


def used_metrics() -> set[str]:
    return {name for expression in expressions() for name in METRIC.findall(expression)}


def exported(stack: StackUnderTest) -> str:
    """Return the metrics of the service and of Nakama as text."""
    return scrape.text(stack.rules_metrics_port) + scrape.text(stack.nakama_metrics_port)


def shapes(text: str) -> set[tuple[str, frozenset[str]]]:
    """Return series names with their label names, without the node label."""
    return {
        (name, frozenset(LABEL.findall(labels)) - PROMETHEUS_LABELS - {"node_name"})
        for name, labels in SERIES.findall(text)
    }


@pytest.mark.nakama
def test_metrics_of_dashboard_and_alerts_are_exported(stack: StackUnderTest, clients: Clients) -> None:
    """Nakama updates some metrics every 15 s."""
    players = clients.pair()
    players[0].take_set()
    for player in players:
        player.leave()
    tested = {shape for shape in shapes(HEALTHY.read_text()) if not shape[0].startswith("process_")}

    wait_until(lambda: tested <= shapes(exported(stack)))

    assert used_metrics() <= {name for name, _ in shapes(exported(stack))}


def test_dashboard_is_valid_for_grafana() -> None:
    board = dashboard()
    panels = [panel for panel in board["panels"] if panel["type"] != "row"]

    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    assert all(panel["targets"] and panel["description"] for panel in panels)
    for panel in board["panels"]:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24


def test_no_series_has_match_or_user_labels() -> None:
    for expression in expressions():
        assert not re.search(r"match_id|user|\bmid\b|\buid\b", expression)


def test_every_alert_has_a_severity_and_a_summary() -> None:
    assert {rule["labels"]["severity"] for rule in rules()} == {"page", "warn"}
    assert all(rule["annotations"]["summary"] for rule in rules())
