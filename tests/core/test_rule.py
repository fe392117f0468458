from itertools import product

import pytest

from set_core.rule import FIRST_MIXED, NOT_MIXED, PACKED, THIRD_ROWS, is_consistent
from tests.core.boards import third


def test_all_27_triples_of_one_attribute_follow_the_definition() -> None:
    consistent = {triple for triple in product(range(3), repeat=3) if is_consistent(*triple)}

    same = {(0, 0, 0), (1, 1, 1), (2, 2, 2)}
    different = {(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)}
    assert consistent == same | different


@pytest.mark.fault("F17")
def test_two_equal_values_around_another_are_mixed() -> None:
    """Fault F17: the shortcut `(a == b) == (b == c)` accepts X, Y, X as a Set."""
    assert not is_consistent(0, 1, 0)


def test_packed_sums_never_carry() -> None:
    assert len(set(PACKED)) == 81
    assert 3 * max(PACKED) == len(FIRST_MIXED) - 1


def test_packed_sum_keeps_the_four_sums_separate() -> None:
    assert FIRST_MIXED[0] == NOT_MIXED
    assert [FIRST_MIXED[step] for step in (343, 49, 7, 1)] == [0, 1, 2, 3]


def test_third_card_of_every_pair_matches_modular_arithmetic() -> None:
    for a, b in product(range(81), repeat=2):
        assert THIRD_ROWS[a][b] == third(a, b)


def test_table_rows_fit_bytes_translate() -> None:
    assert {len(row) for row in THIRD_ROWS} == {256}
