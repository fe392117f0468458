"""What `nakama check` lets in, and what it keeps out before a server starts with it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from demo.nakama_server import NAKAMA, NO_TELEMETRY, PLUGINS
from demo.settings import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.nakama

GATE = PROJECT / "build" / "gate"


def check(folder: Path) -> subprocess.CompletedProcess[str]:
    """Let Nakama look at the plugins of a folder."""
    return subprocess.run(
        [NAKAMA, "check", "--runtime.path", folder],
        capture_output=True,
        text=True,
        env=NO_TELEMETRY,
        check=False,
    )


def said(checked: subprocess.CompletedProcess[str]) -> str:
    return checked.stdout + checked.stderr


@pytest.mark.thread(8, 9)
def test_the_plugin_of_this_build_is_let_in() -> None:
    checked = check(PLUGINS)
    assert checked.returncode == 0, said(checked)


@pytest.mark.thread(9)
def test_a_library_that_is_no_plugin_is_refused() -> None:
    checked = check(GATE / "library")
    assert checked.returncode != 0
    assert "no plugin module data" in said(checked)


@pytest.mark.thread(8)
def test_a_plugin_of_another_build_is_refused() -> None:
    checked = check(GATE / "foreign")
    assert checked.returncode != 0
    assert "plugin was built with a different version of package" in said(checked)
