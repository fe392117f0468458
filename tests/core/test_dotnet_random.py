import json
from pathlib import Path
from typing import Any

import pytest

from set_core import DotNetRandom
from set_core.dotnet_random import _lifted

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "dotnet_random.json").read_text()
)["vectors"]
by_seed = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["seed"]))


@by_seed
def test_next_matches_the_clr(vector: dict[str, Any]) -> None:
    random = DotNetRandom(vector["seed"])

    assert [random.next() for _ in vector["next"]] == vector["next"]


@by_seed
def test_next_below_matches_the_clr(vector: dict[str, Any]) -> None:
    random = DotNetRandom(vector["seed"])

    assert [random.next_below(81 - place) for place in range(12)] == vector["next_below"]


@pytest.mark.parametrize("seed", [1, 42, 20261129, 2**31 - 1])
def test_negative_seed_equals_its_absolute_value(seed: int) -> None:
    assert DotNetRandom(-seed).next() == DotNetRandom(seed).next()


def test_smallest_integer_equals_the_largest() -> None:
    smallest, largest = DotNetRandom(-(2**31)), DotNetRandom(2**31 - 1)

    assert [smallest.next() for _ in range(200)] == [largest.next() for _ in range(200)]


def test_numbers_stay_in_range_over_many_table_cycles() -> None:
    random = DotNetRandom(2**31 - 1)

    assert all(0 <= random.next() < 2**31 - 1 for _ in range(5_000))


def test_bound_of_one_still_consumes_a_number() -> None:
    ahead, behind = DotNetRandom(7), DotNetRandom(7)
    assert ahead.next_below(1) == 0
    behind.next()

    assert ahead.next() == behind.next()


def test_largest_number_is_decremented() -> None:
    """The CLR never returns its maximum; the test writes a table that would produce it."""
    random = DotNetRandom(1)
    random._table[1], random._table[22] = 2**31 - 1, 0

    assert random.next() == 2**31 - 2


@pytest.mark.parametrize("seed", [2**31, -(2**31) - 1, 10**20])
def test_seed_beyond_32_bits_is_rejected(seed: int) -> None:
    with pytest.raises(ValueError, match=rf"seed {seed} is no 32-bit integer"):
        DotNetRandom(seed)


@pytest.mark.parametrize("n", [0, -1, 2**31])
def test_bad_bound_is_rejected_and_consumes_no_number(n: int) -> None:
    random = DotNetRandom(1)
    with pytest.raises(ValueError, match=rf"n is {n}: allowed are 1\.\.2147483647"):
        random.next_below(n)

    assert random.next() == DotNetRandom(1).next()


def test_zero_in_the_generator_table_stays_zero() -> None:
    random = DotNetRandom(1)
    random._table[1] = random._table[22] = 7

    assert random.next() == 0
    assert _lifted(0) == 0
    assert _lifted(-1) == 2**31 - 2
