"""`nakama check` accepts the plugin of this build and rejects other libraries before a server starts."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from demo.stack.nakama_server import NAKAMA, NO_TELEMETRY, PLUGINS
from demo.stack.settings import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.nakama

UNSUITABLE = PROJECT / "build" / "gate"
"""A library that is not a plugin, and a plugin of another build."""


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `nakama check` on the plugins of a folder."""
    return subprocess.run(
        [NAKAMA, "check", "--runtime.path", folder],
        capture_output=True,
        text=True,
        env=NO_TELEMETRY,
        check=False,
    )


def output_of(completed: subprocess.CompletedProcess[str]) -> str:
    return completed.stdout + completed.stderr


@pytest.mark.thread(8, 9)
def test_plugin_of_this_build_is_accepted() -> None:
    completed = check(PLUGINS)
    assert completed.returncode == 0, output_of(completed)


@pytest.mark.thread(9)
def test_library_that_is_not_a_plugin_is_rejected() -> None:
    completed = check(UNSUITABLE / "library")
    assert completed.returncode != 0
    assert "no plugin module data" in output_of(completed)


@pytest.mark.thread(8)
def test_plugin_of_another_build_is_rejected() -> None:
    completed = check(UNSUITABLE / "foreign")
    assert completed.returncode != 0
    assert "plugin was built with a different version of package" in output_of(completed)
