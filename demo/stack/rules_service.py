"""The rules service of this project as a program of the stack."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from demo.stack.ports import HOST, is_open
from demo.stack.service import Program

if TYPE_CHECKING:
    from demo.stack.settings import StackSettings

SET_MATCH = Path(sys.executable).with_name("set-match")


def program(settings: StackSettings, log: Path) -> Program:
    """Return the program for the rules service, on the loopback address only."""
    env = {"SET_MATCH_LISTEN": f"{HOST}:{settings.rules_port}", **settings.rules_env}
    return Program(
        name="rules service",
        command=(str(SET_MATCH), "serve"),
        log=log,
        is_ready=lambda: is_open(settings.rules_port) and _is_healthy(settings.rules_port),
        env=env,
    )


def _is_healthy(port: int) -> bool:
    command = [str(SET_MATCH), "healthcheck", "--address", f"{HOST}:{port}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
