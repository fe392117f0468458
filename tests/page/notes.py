"""Where pictures go, and what the page is checked with."""

from __future__ import annotations

from demo.settings import PROJECT

SCREENSHOTS = PROJECT / "build" / "screenshots"
AXE = PROJECT / "demo" / "page" / "node_modules" / "axe-core" / "axe.min.js"
