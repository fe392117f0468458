"""The native stack and `make run`: start, stop, restart, and no processes left afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from demo.client.nakama_client import NakamaClient
from demo.stack.native import RULES, NativeStack
from demo.stack.settings import PROJECT, with_free_ports
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from demo.stack.settings import StackSettings
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama


@pytest.fixture
def settings(stack: NativeStack) -> StackSettings:
    """Settings of a second stack, next to the one of the other tests."""
    return with_free_ports(stack.settings.folder.with_name("stack-demo"), {})


def start_demo(settings: StackSettings) -> subprocess.Popen[str]:
    """Start what `make run` starts, with these ports and this folder."""
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


def wait_for_output(running: subprocess.Popen[str], word: str) -> None:
    """Read the output up to the first line with this word."""
    assert running.stdout is not None
    lines: list[str] = []
    while not (lines and word in lines[-1]):
        line = running.stdout.readline()
        assert line, f"the demo ended: {''.join(lines)}"
        lines.append(line)


def descendants(running: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(running.pid).children(recursive=True)


def wait_until_ended(processes: list[psutil.Process]) -> None:
    wait_until(lambda: all(map(has_ended, processes)))


def has_ended(process: psutil.Process) -> bool:
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_demo_stops_on_a_signal_during_a_match(demo: subprocess.Popen[str], stop: int) -> None:
    wait_for_output(demo, "Set!")
    children = descendants(demo)
    assert {"postgres", "nakama", "set-match"} <= {child.name() for child in children}
    demo.send_signal(stop)
    output, _ = demo.communicate()
    assert output.splitlines()[-1] == "stopped"
    assert demo.returncode == 0
    wait_until_ended(children)


def test_killed_demo_leaves_no_processes(
    demo: subprocess.Popen[str],
    settings: StackSettings,
) -> None:
    wait_for_output(demo, "Set!")
    children = descendants(demo)
    demo.kill()
    with NativeStack(settings) as second:
        wait_until_ended(children)
        NakamaClient(second.api_url, "device-after-a-kill", "survivor").close()


def test_second_demo_reports_the_busy_port(stack: NativeStack, tmp_path: Path) -> None:
    busy = with_free_ports(tmp_path, {})
    busy = type(busy)(tmp_path, stack.settings.api_port, busy.console_port, busy.rules_port)
    with start_demo(busy) as second:
        output, _ = second.communicate()
    assert second.returncode == 1
    assert output.splitlines()[-1] == (
        f"port {busy.api_port} is in use by nakama (pid {stack.pids['Nakama']}), but Nakama's API needs it:"
        " free it, or choose another with SET_DEMO_PORT=PORT"
    )


def test_killed_rules_service_is_restarted_during_a_match(stack: NativeStack, clients: Clients) -> None:
    players = clients.pair()
    killed = stack.pids[RULES]
    os.kill(killed, signal.SIGKILL)
    wait_until(lambda: stack.pids.get(RULES, killed) != killed)
    for player in players:
        player.take_set()
    for player in players:
        player.wait_until_idle()
    assert players[0].model.seq == players[1].model.seq
