"""Tables of figures that are printed row by row during a measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FIRST_COLUMN = 32
COLUMN = 15


class Grid:
    """A table whose rows are printed immediately.

    Args:
        columns: The names of the figures.
        write: Prints a line.
    """

    def __init__(self, columns: Sequence[str], write: Callable[[str], None]) -> None:
        self._columns = columns
        self._write = write
        write(" " * FIRST_COLUMN + "".join(f"{column:>{COLUMN}}" for column in columns))

    def row(self, name: str, figures: Mapping[str, float]) -> None:
        """Print a row; a missing figure is a dash."""
        cells = (f"{figures[column]:g}" if column in figures else "-" for column in self._columns)
        self._write(f"{name:<{FIRST_COLUMN}}" + "".join(f"{cell:>{COLUMN}}" for cell in cells))
