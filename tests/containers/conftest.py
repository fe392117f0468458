"""The stack of containers, one for the whole run, players at its tables, and the table of faults."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from demo.settings import PROJECT
from tests.containers.contest import SEED, Contest
from tests.containers.engine import all_logs, remove_leftovers
from tests.containers.stack import ContainerStack, container_stack
from tests.containers.toll import FaultTable
from tests.native.room import Room

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator


@pytest.fixture(scope="session")
def stack() -> Iterator[ContainerStack]:
    remove_leftovers()
    with container_stack() as running:
        yield running


@pytest.fixture
def room(stack: ContainerStack) -> Iterator[Room]:
    with ExitStack() as cleanup:
        yield Room(stack, cleanup)


@pytest.fixture
def contest(room: Room) -> Contest:
    return Contest(room, SEED)


@pytest.fixture(scope="session")
def faults() -> Iterator[FaultTable]:
    table = FaultTable()
    yield table
    table.write(PROJECT / "build")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed and "stack" in getattr(item, "fixturenames", ()):
        report.sections.extend((f"end of the log of {name}", log) for name, log in all_logs())
    return report
