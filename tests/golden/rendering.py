"""Payloads as text: every field is shown, and cards are written in card notation."""

from collections.abc import Iterable
from typing import Any

from set_core import ALL_CARDS
from set_core.notation import EMPTY_SLOT, format_card

Json = dict[str, Any]

_CARD_LISTS = {"cardIds", "deck"}
_CARDS_A_LINE = 12
_SLOTS_A_ROW = 4


def _cards(ids: Iterable[int]) -> list[str]:
    return [format_card(ALL_CARDS[card]) for card in ids]


def _slot(slot: Json) -> str:
    card = slot.get("cardId")
    return f"{slot['index']}:{EMPTY_SLOT if card is None else format_card(ALL_CARDS[card])}"


def _wrapped(name: str, words: list[str], width: int) -> list[str]:
    starts = range(0, len(words), width)
    return [f"{name}: {' '.join(words[start : start + width])}" for start in starts] or [f"{name}: none"]


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f'"{value}"' if isinstance(value, str) and (not value or " " in value) else str(value)


def _inline(fields: Json) -> str:
    return " ".join(f"{name}={_flat(value)}" for name, value in fields.items())


def _flat(value: object) -> str:
    if isinstance(value, dict):
        return f"({_inline(value)})"
    if isinstance(value, list):
        return f"[{' '.join(map(_flat, value))}]"
    return _scalar(value)


def _nested(name: str, value: Any) -> list[str]:
    if name in _CARD_LISTS:
        return _wrapped(name, _cards(value), _CARDS_A_LINE)
    if name == "slots":
        return _wrapped(name, [_slot(slot) for slot in value], _SLOTS_A_ROW)
    if isinstance(value, list):
        return [f"{name}: {_flat(item)}" for item in value] or [f"{name}: none"]
    return [f"{name}: {_inline(value)}"]


def rendered(title: str, payload: Json) -> list[str]:
    """Return a payload as lines: plain fields after the title, then one or more lines per list and object."""
    plain = {name: value for name, value in payload.items() if not isinstance(value, list | dict)}
    lines = [f"{title} {_inline(plain)}".rstrip()]
    for name, value in payload.items():
        if name not in plain:
            lines += [f"  {line}" for line in _nested(name, value)]
    return lines
