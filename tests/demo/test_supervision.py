"""Services, supervision and the folder lock, tested with small real programs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from demo.stack.folder_lock import FolderInUseError, FolderLock
from demo.stack.service import Program, Service, ServiceError
from demo.stack.supervisor import LONGEST_DELAY_S, STABLE_AFTER_S, Supervisor, Watched
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parent.parent.parent


def has_ended(pid: int) -> bool:
    """Return whether a process has ended; a zombie counts as ended."""
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def script(tmp_path: Path, code: str) -> Program:
    ready = tmp_path / "ready"
    return Program(
        name="script",
        command=(sys.executable, "-c", f"import pathlib, time\npathlib.Path({str(ready)!r}).touch()\n{code}"),
        log=tmp_path / "script.log",
        is_ready=ready.exists,
    )


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[Service]:
    service = Service(script(tmp_path, "time.sleep(1000)"))
    service.start()
    yield service
    service.kill()


def test_service_starts_and_stops(sleeper: Service) -> None:
    pid = sleeper.pid
    assert pid is not None
    assert not has_ended(pid)
    sleeper.stop()
    assert sleeper.exit_code == -signal.SIGTERM
    assert has_ended(pid)


def test_start_collects_the_process_that_died_before(sleeper: Service) -> None:
    pid = sleeper.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    sleeper.start()
    assert sleeper.pid != pid
    assert not psutil.pid_exists(pid)


def test_kill_includes_child_processes(tmp_path: Path) -> None:
    child = tmp_path / "child"
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)'])\n"
        f"pathlib.Path({str(child)!r}).write_text(str(child.pid))\n"
        "time.sleep(1000)"
    )
    service = Service(script(tmp_path, code))
    service.start()
    wait_until(lambda: child.exists() and child.read_text())
    service.kill()
    wait_until(lambda: has_ended(int(child.read_text())))


def test_service_that_exits_early_is_reported_with_its_log(tmp_path: Path) -> None:
    program = Program(
        name="broken",
        command=(sys.executable, "-c", "import sys; print('no database'); sys.exit(3)"),
        log=tmp_path / "broken.log",
        is_ready=lambda: False,
    )
    with pytest.raises(ServiceError, match=r"(?s)broken ended with exit code 3.*no database"):
        Service(program).start()


def test_service_that_never_becomes_ready_is_killed(tmp_path: Path) -> None:
    program = Program(
        name="mute",
        command=(sys.executable, "-c", "import time; time.sleep(1000)"),
        log=tmp_path / "mute.log",
        is_ready=lambda: False,
        ready_within_s=0.2,
    )
    service = Service(program)
    with pytest.raises(ServiceError, match="mute did not answer"):
        service.start()
    assert not service.running


def test_dead_service_is_restarted(sleeper: Service) -> None:
    lines: list[str] = []
    supervisor = Supervisor([sleeper], lines.append, first_delay_s=0.0)
    supervisor.start()
    first = sleeper.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: len(lines) == 2)
    assert sleeper.pid != first
    assert lines == ["script died (signal SIGKILL), starting again in 0 s", "script is back"]
    supervisor.stop()


def test_intentionally_killed_service_stays_dead_until_started(sleeper: Service) -> None:
    lines: list[str] = []
    supervisor = Supervisor([sleeper], lines.append, first_delay_s=0.0)
    supervisor.start()
    supervisor.kill_service("script")
    time.sleep(0.5)
    assert sleeper.exit_code == -signal.SIGKILL
    supervisor.start_service("script")
    assert sleeper.running
    assert lines == []
    supervisor.stop()


def test_restart_delay_doubles_and_resets_after_stability(tmp_path: Path) -> None:
    watched = Watched(Service(script(tmp_path, "")), first_delay_s=4.0)
    died = time.monotonic()
    assert [watched.schedule_restart(died) for _ in range(4)] == [4.0, 8.0, LONGEST_DELAY_S, LONGEST_DELAY_S]
    assert watched.schedule_restart(died + 2 * STABLE_AFTER_S) == 4.0
    assert watched.schedule_restart(died) == 8.0


PARENT = """
import pathlib, sys
from demo.stack.service import Program, Service
ready = pathlib.Path(sys.argv[1])
code = f"import pathlib, time; pathlib.Path({str(ready)!r}).touch(); time.sleep(1000)"
service = Service(Program("child", (sys.executable, "-c", code), ready.with_suffix(".log"), ready.exists))
service.start()
print(service.pid, flush=True)
input()
"""


def test_program_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path / "ready")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=PROJECT,
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not has_ended(pid)
        parent.kill()
        wait_until(lambda: has_ended(pid))


def test_folder_allows_one_stack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demo.stack.folder_lock.WAIT_S", 0.0)
    first = FolderLock(tmp_path / "lock")
    lines: list[str] = []
    with pytest.raises(FolderInUseError, match=f"another stack runs in {tmp_path}"):
        FolderLock(tmp_path / "lock", lines.append)
    assert lines == [f"another stack runs in {tmp_path}; waiting 0 s for its end"]
    first.release()
    FolderLock(tmp_path / "lock").release()


def test_program_holds_the_lock_while_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("demo.stack.folder_lock.WAIT_S", 0.0)
    lock = FolderLock(tmp_path / "lock")
    service = Service(script(tmp_path, "time.sleep(1000)"), inherited=(lock.descriptor,))
    service.start()
    lock.release()
    with pytest.raises(FolderInUseError):
        FolderLock(tmp_path / "lock")
    service.kill()
    FolderLock(tmp_path / "lock").release()
