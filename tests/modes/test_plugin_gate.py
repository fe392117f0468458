"""What `nakama check` lets in, and what it keeps out before a server starts with it."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from demo.nakama_server import NAKAMA, NO_TELEMETRY, PLUGINS
from demo.settings import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.nakama

OTHER_PLUGIN = """package main

import "fmt"

func Say() { fmt.Println() }
"""


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
def test_a_library_that_is_no_plugin_is_kept_out(tmp_path: Path) -> None:
    compiler = os.environ.get("CC", "gcc")
    command = [compiler, "-shared", "-x", "c", "-", "-o", str(tmp_path / "set.so")]
    subprocess.run(command, input="int set;", text=True, check=True)
    checked = check(tmp_path)
    assert checked.returncode != 0
    assert "no plugin module data" in said(checked)


@pytest.mark.slow
@pytest.mark.thread(8)
def test_a_plugin_compiled_in_another_way_is_kept_out_and_the_reason_said(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    shutil.copy(PROJECT / "nakama" / "go.mod", source)
    (source / "main.go").write_text(OTHER_PLUGIN)
    plugins = tmp_path / "plugins"
    command = [
        "build",
        "-buildvcs=false",
        "-gcflags=all=-l",
        "-buildmode=plugin",
        "-o",
        str(plugins / "set.so"),
        ".",
    ]
    subprocess.run([PROJECT / "scripts" / "go", *command], cwd=source, check=True)
    checked = check(plugins)
    assert checked.returncode != 0
    assert "plugin was built with a different version of package" in said(checked)
