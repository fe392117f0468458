"""Where the native stack listens and keeps its files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from demo.ports import Wanted, free_port

if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT = Path(__file__).resolve().parent.parent
HIGHEST_PORT = 65535
LOWEST_PORT = 1024
API_GRPC_OFFSET = -1
CONSOLE_GRPC_OFFSET = -3


class SettingError(ValueError):
    """A setting of the demo is not usable; the message names it, its value and what is allowed."""


@dataclass(frozen=True)
class StackSettings:
    """Settings of one native stack.

    Attributes:
        folder: Where its database, logs and sockets lie.
        api_port: Nakama's HTTP and websocket API; its gRPC API takes the port below.
        console_port: Nakama's console; the console's gRPC API takes the third port below.
        rules_port: The rules service.
        page_port: The page to play at.
        rules_env: Additions to the environment of the rules service.
        plugin_env: Settings of the plugin that are added or replace the stack's own.
        nakama_flags: Nakama's flags, by name without dashes, that are added or replace the stack's own.
    """

    folder: Path = PROJECT / "build" / "stack"
    api_port: int = 7350
    console_port: int = 7351
    rules_port: int = 7400
    page_port: int = 7380
    rules_env: Mapping[str, str] = field(default_factory=dict)
    plugin_env: Mapping[str, str] = field(default_factory=dict)
    nakama_flags: Mapping[str, str] = field(default_factory=dict)

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        """Every port that the stack listens on."""
        return (
            Wanted(self.api_port, "Nakama's API", "SET_DEMO_PORT"),
            Wanted(self.api_port + API_GRPC_OFFSET, "Nakama's gRPC API", "SET_DEMO_PORT"),
            Wanted(self.console_port, "Nakama's console", "SET_DEMO_CONSOLE_PORT"),
            Wanted(self.console_port + CONSOLE_GRPC_OFFSET, "Nakama's console API", "SET_DEMO_CONSOLE_PORT"),
            Wanted(self.rules_port, "the rules service", "SET_DEMO_RULES_PORT"),
            Wanted(self.page_port, "the page", "SET_DEMO_PAGE_PORT"),
        )


def from_environment(env: Mapping[str, str] = os.environ) -> StackSettings:
    """Read SET_DEMO_PORT, SET_DEMO_CONSOLE_PORT, SET_DEMO_RULES_PORT, SET_DEMO_PAGE_PORT and SET_DEMO_FOLDER.

    Where only the first is given the others keep their distance to it, so that one setting moves everything.

    Raises:
        SettingError: One of them is no port, or two ports are the same.
    """
    default = StackSettings()
    api_port = _port(env, "SET_DEMO_PORT", default.api_port)
    moved = api_port - default.api_port
    settings = StackSettings(
        folder=Path(env.get("SET_DEMO_FOLDER", default.folder)).absolute(),
        api_port=api_port,
        console_port=_port(env, "SET_DEMO_CONSOLE_PORT", default.console_port + moved),
        rules_port=_port(env, "SET_DEMO_RULES_PORT", default.rules_port + moved),
        page_port=_port(env, "SET_DEMO_PAGE_PORT", default.page_port + moved),
    )
    _require_distinct(settings)
    return settings


def with_free_ports(folder: Path, rules_env: Mapping[str, str]) -> StackSettings:
    """Return settings with ports that are free now."""
    while True:
        settings = StackSettings(
            folder=folder,
            api_port=free_port(with_offset=API_GRPC_OFFSET),
            console_port=free_port(with_offset=CONSOLE_GRPC_OFFSET),
            rules_port=free_port(),
            page_port=free_port(),
            rules_env=rules_env,
        )
        if len({wanted.port for wanted in settings.wanted}) == len(settings.wanted):
            return settings


def _port(env: Mapping[str, str], name: str, default: int) -> int:
    text = env.get(name, str(default))
    if not text.isdecimal() or not LOWEST_PORT <= int(text) <= HIGHEST_PORT:
        raise SettingError(f"{name}={text!r} is no port: {LOWEST_PORT}..{HIGHEST_PORT} are allowed")
    return int(text)


def _require_distinct(settings: StackSettings) -> None:
    taken: dict[int, Wanted] = {}
    for wanted in settings.wanted:
        other = taken.setdefault(wanted.port, wanted)
        if other is not wanted:
            raise SettingError(
                f"{other.what} and {wanted.what} both want port {wanted.port}: change {wanted.setting}",
            )
