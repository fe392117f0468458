"""SplitMix64: a random number generator whose state is one integer, so that the match's state can hold it."""

from typing import Final

_MASK: Final = (1 << 64) - 1


class SplitMix64:
    """Deterministic generator; equal states produce equal numbers.

    Attributes:
        state: 64-bit unsigned integer.
    """

    def __init__(self, state: int) -> None:
        self.state = state & _MASK

    def _next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound: int) -> int:
        """Return a number in 0..bound-1; bound is at least 1."""
        return (self._next() * bound) >> 64

    def between(self, low: int, high: int) -> int:
        """Return a number in low..high, both included."""
        return low + self.below(high - low + 1)

    def happens(self, percent: int) -> bool:
        """Return True with a probability of `percent` (0..100)."""
        return self.below(100) < percent
