"""Settings of the native stack: ports, folder and environment."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from demo.stack.ports import Wanted, free_port

if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT = Path(__file__).resolve().parents[2]
HIGHEST_PORT = 65535
LOWEST_PORT = 1024
API_GRPC_OFFSET = -1
CONSOLE_GRPC_OFFSET = -3


class SettingError(ValueError):
    """A setting of the demo is invalid. The error text contains its name, value and allowed values."""


@dataclass(frozen=True)
class StackSettings:
    """Settings of one native stack.

    Attributes:
        folder: Folder of its database, logs and sockets.
        api_port: Nakama's HTTP and websocket API. Its gRPC API uses this port minus 1.
        console_port: Nakama's console. The gRPC API of the console uses this port minus 3.
        rules_port: The rules service.
        page_port: The page.
        rules_env: Variables that are added to the environment of the rules service.
        plugin_env: Settings of the plugin. They override those of the stack.
        nakama_flags: Flags of Nakama by name, without dashes. They override those of the stack.
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
        """All ports that the stack needs."""
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

    SET_DEMO_PORT also moves the other ports by the same distance, if they are not set.

    Raises:
        SettingError: A setting is not a valid port, or two ports are equal.
    """
    default = StackSettings()
    api_port = _port(env, "SET_DEMO_PORT", default.api_port)
    offset = api_port - default.api_port
    settings = StackSettings(
        folder=Path(env.get("SET_DEMO_FOLDER", default.folder)).absolute(),
        api_port=api_port,
        console_port=_port(env, "SET_DEMO_CONSOLE_PORT", default.console_port + offset),
        rules_port=_port(env, "SET_DEMO_RULES_PORT", default.rules_port + offset),
        page_port=_port(env, "SET_DEMO_PAGE_PORT", default.page_port + offset),
    )
    _require_distinct(settings)
    return settings


def with_free_ports(folder: Path, rules_env: Mapping[str, str]) -> StackSettings:
    """Return settings with random free ports."""
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
    by_port: dict[int, Wanted] = {}
    for wanted in settings.wanted:
        other = by_port.setdefault(wanted.port, wanted)
        if other is not wanted:
            raise SettingError(
                f"{other.purpose} and {wanted.purpose} both want port {wanted.port}: change {wanted.setting}",
            )
