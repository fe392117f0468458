"""The random numbers of .NET: `System.Random(seed)`, bit for bit.

For daily challenges, a shuffle with the same seed must give the same deck in C# and in Python. The algorithm
is Knuth's subtractive generator with 32-bit integers that wrap around.
"""

from typing import Final

_INT32_MIN: Final = -(2**31)
_INT32_MAX: Final = 2**31 - 1
_SEED_BASE: Final = 161803398
_LENGTH: Final = 55
_LAG: Final = 21
_WARM_UPS: Final = 4


class DotNetRandom:
    """The generator of the CLR for one seed. Its numbers are predictable, so it is not suitable for secrets.

    Args:
        seed: any 32-bit integer; a negative one is the same as its absolute value.

    Raises:
        ValueError: the seed does not fit in 32 bits.
    """

    __slots__ = ("_lagging", "_leading", "_table")

    def __init__(self, seed: int) -> None:
        if not _INT32_MIN <= seed <= _INT32_MAX:
            raise ValueError(f"seed {seed} is no 32-bit integer: allowed are {_INT32_MIN}..{_INT32_MAX}")
        # The CLR has no absolute value for the smallest integer and takes the largest instead.
        self._table = _seeded_table(min(abs(seed), _INT32_MAX))
        self._leading = 0
        self._lagging = _LAG

    def next(self) -> int:
        """Return the next number, 0..2147483646 (`Random.Next()`)."""
        self._leading = self._leading % _LENGTH + 1
        self._lagging = self._lagging % _LENGTH + 1
        number = _wrap(self._table[self._leading] - self._table[self._lagging])
        if number == _INT32_MAX:
            number -= 1
        if number < 0:
            number += _INT32_MAX
        self._table[self._leading] = number
        return number

    def next_below(self, n: int) -> int:
        """Return the next number below n, 0..n-1 (`Random.Next(n)`).

        Raises:
            ValueError: n is not in 1..2147483647.
        """
        if not 1 <= n <= _INT32_MAX:
            raise ValueError(f"n is {n}: allowed are 1..{_INT32_MAX}")
        # The product of doubles, not integer division: the CLR rounds like this.
        return int(self.next() * (1.0 / _INT32_MAX) * n)


def _wrap(number: int) -> int:
    """Return the number as a 32-bit integer after overflow."""
    return (number - _INT32_MIN) % 2**32 + _INT32_MIN


def _seeded_table(magnitude: int) -> list[int]:
    table = [0] * (_LENGTH + 1)
    older = table[_LENGTH] = _SEED_BASE - magnitude
    newer = 1
    for step in range(1, _LENGTH):
        place = _LAG * step % _LENGTH
        table[place] = newer
        newer, older = _lifted(older - newer), newer
    for _ in range(_WARM_UPS):
        _stir(table)
    return table


def _stir(table: list[int]) -> None:
    for place in range(1, _LENGTH + 1):
        table[place] = _lifted(_wrap(table[place] - table[1 + (place + 30) % _LENGTH]))


def _lifted(number: int) -> int:
    return number + _INT32_MAX if number < 0 else number
