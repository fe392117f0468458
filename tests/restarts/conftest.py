"""Fixtures: a stack for restarts of Nakama, and the table of their effects."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from demo.stack.native import NAKAMA, RULES
from demo.stack.postgres import NAME as POSTGRES
from demo.stack.settings import PROJECT
from tests.containers.measurements import FaultTable
from tests.restarts.measurements import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.fixtures import StackUnderTest

RESTARTS = int(os.environ.get("SET_TEST_RESTARTS", "1"))
"""How often each row of the table is measured."""


@pytest.fixture
def restartable(stack: StackUnderTest) -> Iterator[StackUnderTest]:
    """The stack; after a test that failed during a restart, all programs are started again."""
    yield stack
    if POSTGRES not in stack.pids:
        stack.start_database()
    if NAKAMA not in stack.pids:
        stack.start_nakama()
    if RULES not in stack.pids:
        stack.start_rules()


@pytest.fixture(scope="package")
def fault_table() -> Iterator[FaultTable]:
    """The table of restarts, written after the run."""
    table = FaultTable(COLUMNS, "restart-faults")
    yield table
    table.write(PROJECT / "build")
