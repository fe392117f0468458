"""Cards for people: two green striped squiggles are `2G=~`, in colour on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.sets import digits

if TYPE_CHECKING:
    from collections.abc import Iterable

SHAPES = "◇~O"
COLORS = "RGP"
SHADING_SIGNS = "#=·"
ANSI_COLORS = (31, 32, 35)
LEGEND = (
    "2R#◇ = 2 red solid diamonds; Red Green Purple; # solid, = striped, · open; ◇ diamond, ~ squiggle, O oval"
)


def card(number: int, *, colored: bool = False) -> str:
    """Return a card in four characters: count, color, shading, shape."""
    count, shape, color, shading = digits(number)
    text = f"{count + 1}{COLORS[color]}{SHADING_SIGNS[shading]}{SHAPES[shape]}"
    return f"\x1b[{ANSI_COLORS[color]}m{text}\x1b[0m" if colored else text


def cards(numbers: Iterable[int], *, colored: bool = False) -> str:
    """Return several cards, one space apart."""
    return " ".join(card(number, colored=colored) for number in numbers)
