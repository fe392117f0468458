"""Run `nakama/start` with a fake Nakama that shows what the real one would receive."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from demo.stack.settings import PROJECT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

EXECUTABLE = 0o755
FAKE = '#!/bin/sh\necho "$*" >>"$TMPDIR/calls"\n[ "$1" = migrate ] || exec env -0\n'

SECRETS = {
    "NAKAMA_DATABASE": "game@db:5432/set",
    "NAKAMA_DATABASE_PASSWORD": "database-secret",
    "NAKAMA_SERVER_KEY": "server-secret",
    "NAKAMA_HTTP_KEY": "http-secret",
    "NAKAMA_SESSION_KEY": "session-secret",
    "NAKAMA_REFRESH_KEY": "refresh-secret",
    "NAKAMA_CONSOLE_KEY": "signing-secret",
    "NAKAMA_CONSOLE_PASSWORD": "console-secret",
}
"""The settings without which the script starts no Nakama outside development."""
DEVELOPMENT = {"NAKAMA_DEVELOPMENT": "1", "NAKAMA_DATABASE": "game@db:5432/set"}


@dataclass
class Started:
    """What Nakama received: its configuration, its environment and its two command lines."""

    config: dict[str, Any]
    env: dict[str, str]
    calls: list[str]


class StartScript:
    """The script with its own folder for programs and files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        fake = folder / "nakama"
        fake.write_text(FAKE)
        fake.chmod(EXECUTABLE)

    def file(self, name: str, content: bytes) -> str:
        """Write a file and return its path."""
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def started(self, env: Mapping[str, str], *arguments: str) -> Started:
        """Run the script and return what Nakama received."""
        done = self._run(env, *arguments)
        assert (done.returncode, done.stderr) == (0, b"")
        pairs = (each.split("=", 1) for each in done.stdout.decode().rstrip("\0").split("\0"))
        return Started(
            yaml.safe_load((self.folder / "nakama.yml").read_text()),
            dict(pairs),
            (self.folder / "calls").read_text().splitlines(),
        )

    def refusal(self, env: Mapping[str, str]) -> str:
        """Run the script, which must not start Nakama, and return its one line of error output."""
        done = self._run(env)
        assert (done.returncode, done.stdout) == (1, b""), done.stderr
        assert not (self.folder / "calls").exists()
        (line,) = done.stderr.decode().splitlines()
        assert line.startswith("start: ")
        return line.removeprefix("start: ")

    def _run(self, env: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [PROJECT / "nakama" / "start", *arguments],
            env={"PATH": f"{self.folder}:/usr/bin:/bin", "TMPDIR": str(self.folder), **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
