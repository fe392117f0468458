"""Touches with several fingers and raw keys, sent by the DevTools protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Locator, Page

Point = tuple[float, float]


def middle(target: Locator) -> Point:
    """Return the middle of an element in CSS pixels of the window."""
    box = target.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Fingers:
    """Fingers on a touch screen; each stays until `lift`."""

    def __init__(self, page: Page) -> None:
        self._devtools: CDPSession = page.context.new_cdp_session(page)
        self._down: list[Point] = []

    def press(self, point: Point) -> None:
        """Put one more finger down."""
        self._down.append(point)
        self._send("touchStart")

    def lift(self) -> None:
        """Lift all fingers."""
        self._down.clear()
        self._send("touchEnd")

    def _send(self, kind: str) -> None:
        points = [{"x": x, "y": y, "id": index} for index, (x, y) in enumerate(self._down)]
        self._devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def press_key(page: Page, code: str, key: str) -> None:
    """Press a key of another keyboard layout: the position `code` with the character `key`."""
    devtools = page.context.new_cdp_session(page)
    for kind in ("rawKeyDown", "keyUp"):
        devtools.send("Input.dispatchKeyEvent", {"type": kind, "code": code, "key": key})
