"""Paths of the screenshots and of axe."""

from __future__ import annotations

import os
from pathlib import Path

from demo.stack.settings import PROJECT

SCREENSHOTS = Path(os.environ.get("SET_TEST_SCREENSHOTS", PROJECT / "build" / "screenshots"))
"""Set the variable to docs/screenshots to update the screenshots of the README."""
AXE = PROJECT / "demo" / "page" / "node_modules" / "axe-core" / "axe.min.js"
