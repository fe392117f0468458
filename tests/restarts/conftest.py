"""The number of restarts, and the table of their effects."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from demo.stack.settings import PROJECT
from tests.containers.measurements import FaultTable
from tests.restarts.measurements import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator

RESTARTS = int(os.environ.get("SET_TEST_RESTARTS", "1"))
"""How often each row of the table is measured."""


@pytest.fixture(scope="package")
def fault_table() -> Iterator[FaultTable]:
    """The table of restarts, written after the run."""
    table = FaultTable(COLUMNS, "restart-faults")
    yield table
    table.write(PROJECT / "build")
