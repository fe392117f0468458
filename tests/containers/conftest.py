"""Fixtures: the stack of containers, started once for the run, players on it, and the table of faults."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from demo.stack.settings import PROJECT
from tests.containers.claim_load import SEED, ClaimLoad
from tests.containers.engine import all_logs, remove_leftovers
from tests.containers.measurements import FaultTable
from tests.containers.stack import ContainerStack, container_stack
from tests.support.clients import Clients

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator


@pytest.fixture(scope="session")
def stack() -> Iterator[ContainerStack]:
    """PostgreSQL, two replicas of the rules service and Nakama."""
    remove_leftovers()
    with container_stack() as running:
        yield running


@pytest.fixture
def clients(stack: ContainerStack) -> Iterator[Clients]:
    """Users, matches and players on the stack of containers."""
    with ExitStack() as cleanup:
        yield Clients(stack, cleanup)


@pytest.fixture
def load(clients: Clients) -> ClaimLoad:
    """Two players who claim continuously."""
    return ClaimLoad(clients, SEED)


@pytest.fixture(scope="session")
def fault_table() -> Iterator[FaultTable]:
    """The table of faults, written after the run."""
    table = FaultTable()
    yield table
    table.write(PROJECT / "build")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the last log lines of all containers to a failure report."""
    report = yield
    if report.failed and "stack" in getattr(item, "fixturenames", ()):
        report.sections.extend((f"end of the log of {name}", log) for name, log in all_logs())
    return report
