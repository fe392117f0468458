"""Order of the tests."""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the tests of the records of a run to its end."""
    items.sort(key=lambda item: item.path.name == "test_records.py")
