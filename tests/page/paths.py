"""Paths of the screenshots and of axe."""

from __future__ import annotations

from demo.stack.settings import PROJECT

SCREENSHOTS = PROJECT / "build" / "screenshots"
AXE = PROJECT / "demo" / "page" / "node_modules" / "axe-core" / "axe.min.js"
