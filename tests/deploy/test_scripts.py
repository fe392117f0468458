"""The scripts without an engine, registry or root: one line reports what is missing."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from demo.stack.settings import PROJECT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

EXECUTABLE = 0o755
NOTHING_WORKS = 'case "$1" in info) exit 0 ;; *) exit 1 ;; esac'


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a script of the project with replaced commands."""

    def run_script(
        name: str, *arguments: str, env: dict[str, str] | None = None, **commands: str
    ) -> subprocess.CompletedProcess[str]:
        for command, body in commands.items():
            path = tmp_path / command
            path.write_text(f"#!/bin/sh\n{body}\n")
            path.chmod(EXECUTABLE)
        return subprocess.run(
            [PROJECT / "scripts" / name, *arguments],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin", **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    return run_script


def test_running_engine_is_not_started_again(run: Run) -> None:
    done = run("engine", "up", docker="exit 0", dockerd="exit 1", id="echo 1000")
    assert (done.returncode, done.stderr) == (0, "")


def test_command_runs_on_the_engine_with_its_exit_code(run: Run) -> None:
    done = run("engine", "run", "sh", "-c", "echo here; exit 7", docker="exit 0")
    assert (done.returncode, done.stdout) == (7, "here\n")


def test_missing_engine_without_root_is_reported_in_one_line(run: Run) -> None:
    for arguments in (("up",), ("run", "true")):
        done = run("engine", *arguments, docker="exit 1", id="echo 1000")
        assert done.returncode == 1
        assert done.stderr == "engine: no Docker engine answers; start it, or let root run this on Debian\n"


def test_missing_tools_without_root_are_named(run: Run) -> None:
    done = run("tools", "engine", "chromium", env={"CHROMIUM": "absent"}, docker="exit 0", id="echo 1000")
    assert (done.returncode, done.stderr) == (
        1,
        "tools: missing: chromium; install them, or let root run this on Debian\n",
    )


def test_missing_tools_are_installed_together(run: Run, tmp_path: Path) -> None:
    done = run(
        "tools",
        *("chromium", "engine"),
        env={"CHROMIUM": "absent", "TMPDIR": str(tmp_path)},
        docker="exit 1",
        dockerd="exit 0",
        iptables="exit 0",
        id="echo 0",
        flock='shift 2; exec "$@"',
        **{"apt-get": 'echo "$*"'},
    )
    assert (done.returncode, done.stderr) == (0, "tools: installing chromium from Debian's packages\n")
    log = (tmp_path / "set-match-tools.log").read_text()
    assert log.endswith("install --no-install-recommends chromium fonts-dejavu-core\n")


def test_unknown_argument_is_rejected(run: Run) -> None:
    done = run("engine", "upp")
    assert (done.returncode, done.stderr) == (
        1,
        "engine: usage: scripts/engine up | down | run COMMAND...\n",
    )


def test_present_base_images_are_not_pulled(run: Run) -> None:
    done = run("base-images", docker='case "$1" in image) exit 0 ;; *) exit 1 ;; esac')
    assert (done.returncode, done.stderr) == (0, "")


def test_unavailable_base_images_are_named(run: Run) -> None:
    done = run("base-images", docker=NOTHING_WORKS, id="echo 1000")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(
        "base images: debian:bookworm-slim can be neither pulled nor made here: making it takes root"
    )


def test_failed_install_is_retried_after_an_update(run: Run) -> None:
    flock = 'shift 2; echo locked; exec "$@"'
    apt = 'echo "$*" | grep -o "update\\|install.*"; [ -e "$0.updated" ] || { touch "$0.updated"; exit 1; }'
    done = run("debian", "tree", "vim", flock=flock, **{"apt-get": apt})
    assert done.stdout.splitlines() == [
        "locked",
        "install --no-install-recommends tree vim",
        "update",
        "install --no-install-recommends tree vim",
    ]
