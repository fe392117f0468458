"""Rows of figures, printed one by one while a measurement runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FIRST_COLUMN = 32
COLUMN = 15


class Grid:
    """A table whose rows are printed as they come.

    Args:
        columns: What the figures are; a row takes those that it has by these names.
        say: Takes each line.
    """

    def __init__(self, columns: Sequence[str], say: Callable[[str], None]) -> None:
        self._columns = columns
        self._say = say
        say(" " * FIRST_COLUMN + "".join(f"{column:>{COLUMN}}" for column in columns))

    def row(self, name: str, figures: Mapping[str, float]) -> None:
        """Print a row; a figure that is missing shows as a dash."""
        cells = (f"{figures[column]:g}" if column in figures else "-" for column in self._columns)
        self._say(f"{name:<{FIRST_COLUMN}}" + "".join(f"{cell:>{COLUMN}}" for cell in cells))
