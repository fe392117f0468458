"""TCP ports on the loopback address: checks and choice of free ports."""

from __future__ import annotations

import secrets
import socket
from typing import NamedTuple

import psutil

HOST = "127.0.0.1"
ATTEMPTS = 200
LOWEST_PORT = 10_000
HIGHEST_PORT = 30_000
"""Systems use higher ports for outgoing connections, which could take a port after it was chosen."""


class PortInUseError(RuntimeError):
    """A required port is in use. The error text contains the port, its purpose and its setting."""


class Wanted(NamedTuple):
    """A required port, its purpose, and its setting."""

    port: int
    purpose: str
    setting: str


def is_free(port: int) -> bool:
    """Return whether a program can listen on this port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def is_open(port: int) -> bool:
    """Return whether a program listens on this port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


def require_free(wanted: Wanted) -> None:
    """Check that a port is free.

    Raises:
        PortInUseError: The port is in use.
    """
    if not is_free(wanted.port):
        raise PortInUseError(
            f"port {wanted.port} is in use{_holder(wanted.port)}, but {wanted.purpose} needs it:"
            f" free it, or choose another with {wanted.setting}=PORT",
        )


def free_port(*, with_offset: int = 0) -> int:
    """Return a random free port. The port at the distance `with_offset` is also free."""
    for _ in range(ATTEMPTS):
        port = LOWEST_PORT + secrets.randbelow(HIGHEST_PORT - LOWEST_PORT)
        if is_free(port) and is_free(port + with_offset):
            return port
    raise PortInUseError(f"no free pair of ports found in {ATTEMPTS} attempts")


def _holder(port: int) -> str:
    """Return the process that listens on a port, in words; empty if this user cannot see it."""
    try:
        connections = [item for item in psutil.net_connections("tcp") if item.status == psutil.CONN_LISTEN]
        pid = next((item.pid for item in connections if (*item.laddr, 0)[1] == port), None)
        return f" by {psutil.Process(pid).name()} (pid {pid})" if pid else ""
    except psutil.Error:
        return ""
