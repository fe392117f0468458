"""Keeps the ledger of claims that the proofs add to, and the real stack for every folder of tests."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.proof.ledger import Ledger, Tries
from tests.support.fixtures import add_ends_of_logs, clients, stack, stoppable_stack

__all__ = ["clients", "stack", "stoppable_stack"]

AT_HOME = ("page", "containers")
"""Markers whose tests are looked for in the folder of that name only: to collect all tests takes seconds."""

LEDGER = pytest.StashKey[Ledger]()
TRIES = pytest.StashKey[Tries]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--proof", metavar="FILE", help="print the claims as a table and write them to FILE")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEDGER] = Ledger()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for marker in AT_HOME:
            if item.get_closest_marker(marker) and item.path.parent.name != marker:
                raise pytest.UsageError(f"{item.nodeid} is marked {marker}: it belongs into tests/{marker}/")


@pytest.fixture
def tried(request: pytest.FixtureRequest) -> Tries:
    """Counts the tries of a test that carries a claim."""
    node: pytest.Item = request.node
    return node.stash.setdefault(TRIES, Tries())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    claim = item.get_closest_marker("claim")
    if claim is not None and (report.when == "call" or report.failed):
        times = item.stash.get(TRIES, Tries()).times
        item.config.stash[LEDGER].note(claim.args[0], claim.args[1], times, report)
    add_ends_of_logs(item.config, report)
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    path = config.getoption("--proof")
    if path is None:
        return
    ledger = config.stash[LEDGER]
    ledger.write(Path(path))
    terminalreporter.section("claims")
    for line in ledger.table():
        terminalreporter.write_line(line)
