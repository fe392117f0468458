"""The rule of SET, written once, and the tables that follow from it.

`is_consistent` is the definition (rule R7). Everything else here is computed from it when the module is
imported: no table is written by hand, and the rule is defined only once. Cards are ids 0..80, which are four
base-3 digits: number, shape, color, shading (rule R2).
"""

from itertools import product
from typing import Final

_VALUES: Final = range(3)
_ATTRIBUTES: Final = 4
_SUMS: Final = range(7)

NOT_MIXED: Final = _ATTRIBUTES
"""The value of a Set in `FIRST_MIXED`; smaller values are the index of the first mixed attribute."""


def is_consistent(x: int, y: int, z: int) -> bool:
    """Return whether one attribute's three values are all the same or all different (rule R7)."""
    all_same = x == y == z
    all_different = x != y != z != x
    return all_same or all_different


def _first_mixed(sums: tuple[int, ...]) -> int:
    return next((place for place, total in enumerate(sums) if not _CONSISTENT_SUM[total]), NOT_MIXED)


def _third_rows() -> list[list[int]]:
    rows = [[0]]
    for _ in range(_ATTRIBUTES):
        rows = [
            [3 * third + _THIRD_VALUE[x][y] for third in row for y in _VALUES]
            for row in rows
            for x in _VALUES
        ]
    return rows


# Three values of one attribute add up to 0..6, and the sum determines whether they are consistent.
_CONSISTENT_SUM: Final = {x + y + z: is_consistent(x, y, z) for x, y, z in product(_VALUES, repeat=3)}

_THIRD_VALUE: Final = [[next(z for z in _VALUES if is_consistent(x, y, z)) for y in _VALUES] for x in _VALUES]

PACKED: Final = tuple(343 * n + 49 * s + 7 * c + f for n, s, c, f in product(_VALUES, repeat=_ATTRIBUTES))
"""Each card's attributes as base-7 digits, by id: the sum of three keeps the four attribute sums apart."""

FIRST_MIXED: Final = bytes(_first_mixed(sums) for sums in product(_SUMS, repeat=_ATTRIBUTES))
"""By the sum of three packed cards: which attribute is the first mixed one, 0..3, or `NOT_MIXED`."""

# Padded to 256, because bytes.translate needs a table for all byte values.
THIRD_ROWS: Final = tuple(bytes(row).ljust(256, b"\0") for row in _third_rows())
"""`THIRD_ROWS[a][b]` is the one card that makes a Set with the cards a and b; rows fit `bytes.translate`."""
