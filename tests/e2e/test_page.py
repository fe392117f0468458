from __future__ import annotations

import pytest

from tests.e2e.page import PAGE, EmptyCellError, page
from tests.e2e.proofs import Proofs, collected


@pytest.fixture(scope="module")
def proofs() -> Proofs:
    return collected()


def test_page_is_up_to_date(proofs: Proofs) -> None:
    """If it is not: `make docs`."""
    assert PAGE.read_text() == page(proofs)


@pytest.mark.parametrize("key", [("proves", "time limit", "ONLINE"), ("fault", "F29"), ("thread", "15")])
def test_empty_cell_is_named(proofs: Proofs, key: tuple[str, ...]) -> None:
    others = {known: tests for known, tests in proofs.items() if known != key}
    with pytest.raises(EmptyCellError, match=" ".join(key)):
        page(others)


def test_every_mark_has_a_cell(proofs: Proofs) -> None:
    for key in proofs:
        with pytest.raises(EmptyCellError):
            page({known: tests for known, tests in proofs.items() if known != key})
