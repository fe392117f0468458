"""TCP ports on the loopback address: which are free, and who has those that are not."""

from __future__ import annotations

import secrets
import socket
from typing import NamedTuple

import psutil

HOST = "127.0.0.1"
ATTEMPTS = 200
LOWEST_GIVEN = 10_000
HIGHEST_GIVEN = 30_000
"""Above, systems give ports to outgoing connections: one could be taken before somebody listens on it."""


class PortInUseError(RuntimeError):
    """A port that is needed is taken; the message names it, who wants it, and how to choose another."""


class Wanted(NamedTuple):
    """A port that somebody needs, and the setting that moves it."""

    port: int
    what: str
    setting: str


def is_free(port: int) -> bool:
    """Tell whether one could listen on this port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def is_open(port: int) -> bool:
    """Tell whether somebody listens on this port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


def require_free(wanted: Wanted) -> None:
    """Check that a port is free.

    Raises:
        PortInUseError: It is not.
    """
    if not is_free(wanted.port):
        raise PortInUseError(
            f"port {wanted.port} is in use{_holder(wanted.port)}, but {wanted.what} needs it:"
            f" free it, or choose another with {wanted.setting}=PORT",
        )


def free_port(*, with_offset: int = 0) -> int:
    """Choose a free port; the one `with_offset` beside it is free as well."""
    for _ in range(ATTEMPTS):
        port = LOWEST_GIVEN + secrets.randbelow(HIGHEST_GIVEN - LOWEST_GIVEN)
        if is_free(port) and is_free(port + with_offset):
            return port
    raise PortInUseError(f"no free pair of ports found in {ATTEMPTS} attempts")


def _holder(port: int) -> str:
    """Name the process that listens on a port, as far as this user may know."""
    try:
        listening = [seen for seen in psutil.net_connections("tcp") if seen.status == psutil.CONN_LISTEN]
        pid = next((seen.pid for seen in listening if (*seen.laddr, 0)[1] == port), None)
        return f" by {psutil.Process(pid).name()} (pid {pid})" if pid else ""
    except psutil.Error:
        return ""
