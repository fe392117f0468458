"""The page: whether it is built, and the program that serves it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from demo.stack.ports import HOST, is_open
from demo.stack.service import Program
from demo.stack.settings import PROJECT

if TYPE_CHECKING:
    from demo.stack.settings import StackSettings

FOLDER = PROJECT / "build" / "page"
SERVER = Path(__file__).with_name("page_server.py")


def is_built() -> bool:
    """Return whether `make build` has built the page."""
    return (FOLDER / "index.html").exists()


def program(settings: StackSettings, log: Path) -> Program:
    """Return the program that serves the page, on the loopback address only."""
    return Program(
        name="page",
        command=(
            sys.executable,
            str(SERVER),
            str(FOLDER),
            HOST,
            str(settings.page_port),
            str(settings.api_port),
        ),
        log=log,
        is_ready=lambda: is_open(settings.page_port),
    )
