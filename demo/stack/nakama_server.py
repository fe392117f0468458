"""Nakama with the plugin: migration of the database, and the program."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import httpx

from demo.stack.ports import HOST
from demo.stack.service import Program, ServiceError
from demo.stack.settings import PROJECT, StackSettings

if TYPE_CHECKING:
    from pathlib import Path

NAKAMA = PROJECT / "build" / "nakama" / "nakama"
PLUGINS = PROJECT / "build" / "nakama" / "modules"
NO_TELEMETRY = {"NAKAMA_TELEMETRY": "0"}
SETTINGS = PROJECT / "nakama" / "local.yml"
SHUTDOWN_GRACE_S = 2


def migrate(database: str, log: Path) -> None:
    """Migrate the database to the schema of this Nakama version.

    Raises:
        ServiceError: The migration failed.
    """
    with log.open("ab") as output:
        process = subprocess.run(
            [NAKAMA, "migrate", "up", "--database.address", database],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=NO_TELEMETRY,
            check=False,
        )
    if process.returncode:
        raise ServiceError(f"nakama migrate ended with exit code {process.returncode}; see {log}")


def program(settings: StackSettings, database: str, log: Path) -> Program:
    """Return the program Nakama with the plugin, on the loopback address only."""
    options = {
        "config": str(SETTINGS),
        "name": "set",
        "database.address": database,
        "data_dir": str(settings.folder / "nakama"),
        "runtime.path": str(PLUGINS),
        "socket.address": HOST,
        "socket.port": str(settings.api_port),
        "console.address": HOST,
        "console.port": str(settings.console_port),
        "shutdown_grace_sec": str(SHUTDOWN_GRACE_S),
        **settings.nakama_flags,
    }
    plugin_env = {"SET_RULES_ADDR": f"{HOST}:{settings.rules_port}", **settings.plugin_env}
    flags = [*options.items(), *(("runtime.env", f"{name}={value}") for name, value in plugin_env.items())]
    return Program(
        name="Nakama",
        command=(str(NAKAMA), *(argument for name, value in flags for argument in (f"--{name}", value))),
        log=log,
        is_ready=lambda: _is_healthy(settings.api_port),
        env=NO_TELEMETRY,
    )


def _is_healthy(port: int) -> bool:
    try:
        return httpx.get(f"http://{HOST}:{port}/healthcheck", trust_env=False).is_success
    except httpx.HTTPError:
        return False
