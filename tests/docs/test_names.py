"""Settings, metrics and alerts are the same in code and documents."""

import re

import click
import yaml
from prometheus_client import REGISTRY

from demo.settings import PROJECT
from match_handler.cli import healthcheck, serve
from match_handler.service import metrics

README = (PROJECT / "README.md").read_text()
OPERATIONS = (PROJECT / "docs" / "operations.md").read_text()
ALARMS = PROJECT / "deploy" / "grafana" / "rules.yml"
PLUGIN = [path.read_text() for path in (PROJECT / "nakama").rglob("*.go") if "_test" not in path.name]
COUNTING = ("internal/telemetry/metrics.go", "internal/telemetry/census.go")
TLS_FILES = re.compile(r"(SET_(?:MATCH|RULES)_TLS_)CA`, `_CERT`, `_KEY`")


def in_readme() -> set[str]:
    """Return the settings listed in the README; its two rows of files contain three each."""
    text = TLS_FILES.sub(r"\1CA` `\1CERT` `\1KEY`", README)
    return set(re.findall(r"SET_(?:MATCH|RULES)_[A-Z_]+", text))


def variables(*commands: click.Command) -> set[str]:
    """Return the environment variables of the options of a command."""
    flags = [flag for command in commands for flag in command.params]
    named = [[flag.envvar] if isinstance(flag.envvar, str) else flag.envvar or [] for flag in flags]
    return {name for names in named for name in names}


def test_readme_lists_exactly_the_settings_of_the_service() -> None:
    assert {name for name in in_readme() if name.startswith("SET_MATCH_")} == variables(serve)


def test_readme_lists_exactly_the_settings_of_the_plugin() -> None:
    read = {name for text in PLUGIN for name in re.findall(r'"(SET_RULES_[A-Z_]*[A-Z])"', text)}

    assert {name for name in in_readme() if name.startswith("SET_RULES_")} == read


def test_operations_lists_the_settings_of_the_health_check() -> None:
    assert variables(healthcheck) - variables(serve) == set(re.findall(r"SET_MATCH_HEALTH_\w+", OPERATIONS))


def test_operations_lists_exactly_the_metrics_of_the_service() -> None:
    assert metrics.CALLS
    families = {family.name: family.type for family in REGISTRY.collect() if family.name.startswith("set_")}
    served = {name + "_total" if kind == "counter" else name for name, kind in families.items()}

    assert set(re.findall(r"\bset_match_[a-z_]+", OPERATIONS)) == served


def test_operations_lists_exactly_the_metrics_of_the_plugin() -> None:
    given = re.compile(r'(?:\w+ += |MetricsCounterAdd\(|MetricsTimerRecord\()"(set_[a-z_]+)"')
    counted = {name for file in COUNTING for name in given.findall((PROJECT / "nakama" / file).read_text())}
    rows = [line.split("|")[1] for line in OPERATIONS.splitlines() if line.startswith("| `set_")]
    named = {name for row in rows for name in re.findall(r"`(set_[a-z_]+)", row)}

    assert {name for name in named if not name.startswith("set_match_")} == counted


def test_operations_lists_exactly_the_alerts() -> None:
    groups = yaml.safe_load(ALARMS.read_text())["groups"]
    alarms = {rule["alert"] for group in groups for rule in group["rules"]}

    assert set(re.findall(r"`(Set[A-Z]\w+)`", OPERATIONS)) == alarms
