"""Short text for cards: two green striped squiggles are `2G=~`, in color on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.client.sets import digits

if TYPE_CHECKING:
    from collections.abc import Iterable

SHAPES = "◇~O"
COLORS = "RGP"
SHADING_SIGNS = "#=·"
ANSI_COLORS = (31, 32, 35)
LEGEND = (
    "2R#◇ = 2 red solid diamonds; Red Green Purple; # solid, = striped, · open; ◇ diamond, ~ squiggle, O oval"
)


def card(card_id: int, *, colored: bool = False) -> str:
    """Return a card as four characters: number, color, shading, shape."""
    number, shape, color, shading = digits(card_id)
    text = f"{number + 1}{COLORS[color]}{SHADING_SIGNS[shading]}{SHAPES[shape]}"
    return f"\x1b[{ANSI_COLORS[color]}m{text}\x1b[0m" if colored else text


def cards(card_ids: Iterable[int], *, colored: bool = False) -> str:
    """Return cards, separated by spaces."""
    return " ".join(card(card_id, colored=colored) for card_id in card_ids)
