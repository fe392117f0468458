from __future__ import annotations

import pytest

from tests.modes.page import PAGE, EmptyCellError, page
from tests.modes.proofs import Proofs, collected


@pytest.fixture(scope="module")
def proofs() -> Proofs:
    return collected()


def test_the_page_is_what_the_markers_say_today(proofs: Proofs) -> None:
    """If it is not: `make docs`."""
    assert PAGE.read_text() == page(proofs)


@pytest.mark.parametrize("claim", [("proves", "timed", "ONLINE"), ("fault", "F29"), ("thread", "15")])
def test_something_without_a_test_is_named(proofs: Proofs, claim: tuple[str, ...]) -> None:
    others = {known: tests for known, tests in proofs.items() if known != claim}
    with pytest.raises(EmptyCellError, match=" ".join(claim)):
        page(others)


def test_only_what_the_page_has_a_place_for_is_proven(proofs: Proofs) -> None:
    for claim in proofs:
        with pytest.raises(EmptyCellError):
            page({known: tests for known, tests in proofs.items() if known != claim})
