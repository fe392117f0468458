"""The native stack and `make run`: they come, they go, and nothing stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest

from demo.nakama_client import NakamaClient
from demo.settings import PROJECT, with_free_ports
from demo.stack import NativeStack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from demo.settings import StackSettings
    from tests.nakama.conftest import Room

pytestmark = pytest.mark.nakama

LOOK_EVERY_S = 0.05


@pytest.fixture
def settings(stack: NativeStack) -> StackSettings:
    """Another stack than the one that the other tests play on."""
    return with_free_ports(stack.settings.folder.with_name("stack-demo"), {})


def start_demo(settings: StackSettings) -> subprocess.Popen[str]:
    """What `make run` starts, with these ports and this folder."""
    env = {
        **os.environ,
        "SET_DEMO_PORT": str(settings.api_port),
        "SET_DEMO_CONSOLE_PORT": str(settings.console_port),
        "SET_DEMO_RULES_PORT": str(settings.rules_port),
        "SET_DEMO_FOLDER": str(settings.folder),
        "PYTHONUNBUFFERED": "1",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "demo"],
        cwd=PROJECT,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture
def demo(settings: StackSettings) -> Iterator[subprocess.Popen[str]]:
    with start_demo(settings) as running:
        yield running
        running.kill()


def lines_until(running: subprocess.Popen[str], word: str) -> list[str]:
    assert running.stdout is not None
    lines: list[str] = []
    while not (lines and word in lines[-1]):
        line = running.stdout.readline()
        assert line, f"the demo ended: {''.join(lines)}"
        lines.append(line)
    return lines


def family(running: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(running.pid).children(recursive=True)


def wait_until_gone(processes: list[psutil.Process]) -> None:
    for process in processes:
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(LOOK_EVERY_S)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_demo_stops_when_asked_in_the_middle_of_a_match(demo: subprocess.Popen[str], stop: int) -> None:
    lines_until(demo, "Set!")
    children = family(demo)
    assert {"postgres", "nakama", "set-match"} <= {child.name() for child in children}
    demo.send_signal(stop)
    output, _ = demo.communicate()
    assert output.splitlines()[-1] == "stopped"
    assert demo.returncode == 0
    wait_until_gone(children)


def test_a_killed_demo_leaves_nothing_behind_and_does_not_stop_the_next(
    demo: subprocess.Popen[str],
    settings: StackSettings,
) -> None:
    lines_until(demo, "Set!")
    children = family(demo)
    demo.kill()
    with NativeStack(settings) as second:
        wait_until_gone(children)
        NakamaClient(second.api_url, "device-after-a-kill", "survivor").close()


def test_a_second_demo_on_the_same_ports_says_which_port_is_busy(stack: NativeStack, tmp_path: Path) -> None:
    busy = with_free_ports(tmp_path, {})
    busy = type(busy)(tmp_path, stack.settings.api_port, busy.console_port, busy.rules_port)
    with start_demo(busy) as second:
        output, _ = second.communicate()
    assert second.returncode == 1
    assert output.splitlines()[-1] == (
        f"port {busy.api_port} is in use by nakama (pid {stack.pids['Nakama']}), but Nakama's API needs it:"
        " free it, or choose another with SET_DEMO_PORT=PORT"
    )


def test_a_rules_service_that_dies_by_itself_is_started_again_in_mid_match(
    stack: NativeStack,
    room: Room,
) -> None:
    one, other = room.two()
    first = stack.pids["rules service"]
    os.kill(first, signal.SIGKILL)
    while stack.pids.get("rules service", first) == first:
        time.sleep(LOOK_EVERY_S)
    for player in (one, other):
        player.wait_until_idle()
        player.verdict(player.claim_set())
    for player in (one, other):
        player.wait_until_idle()
    assert one.table.seq == other.table.seq
