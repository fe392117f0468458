"""The page to play at: whether it is built, and how its server is started."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from demo.ports import HOST, is_open
from demo.service import Program
from demo.settings import PROJECT

if TYPE_CHECKING:
    from demo.settings import StackSettings

FOLDER = PROJECT / "build" / "page"
SERVER = Path(__file__).with_name("page_server.py")


def is_built() -> bool:
    """Tell whether `make page` has built the page."""
    return (FOLDER / "index.html").exists()


def program(settings: StackSettings, log: Path) -> Program:
    """Return the page's server, listening on the loopback address only."""
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
