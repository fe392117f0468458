"""The shim sends pings on idle connections; the server must not close them for it."""

import socket
import time
from collections.abc import Iterator

import pytest

from match_handler.service import server
from tests.service.served import serving

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0"
"""The HTTP/2 preface and an empty SETTINGS frame (RFC 9113, sections 3.4, 6.5)."""

PING, GOAWAY, ACK = 6, 7, 1
HEADER_BYTES = 9
PINGS = 10
SHIM_PINGS_MS = 10_000
"""nakama/internal/links/link.go: keepaliveTime."""

WAIT_S = 0.01


def frames(connection: socket.socket) -> Iterator[tuple[int, int, bytes]]:
    """Yield type, flags and payload of every received frame."""
    with connection.makefile("rb") as stream:
        while head := stream.read(HEADER_BYTES):
            yield head[3], head[4], stream.read(int.from_bytes(head[:3]))


def response_to(ping: bytes, incoming: Iterator[tuple[int, int, bytes]]) -> int:
    """Return PING when the ping is acknowledged, or GOAWAY when the server closes the connection."""
    for kind, flags, payload in incoming:
        if kind == GOAWAY or (kind == PING and flags & ACK and payload == ping):
            return kind
    raise AssertionError("the connection was closed without a GOAWAY frame")


def test_pings_at_the_allowed_rate_are_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MIN_PING_MS", 1)
    answers = []
    with serving() as running, socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall(PREFACE)
        incoming = frames(connection)
        for number in range(PINGS):
            time.sleep(WAIT_S)
            ping = number.to_bytes(8)
            connection.sendall(b"\0\0\x08\x06\0\0\0\0\0" + ping)
            answers.append(response_to(ping, incoming))
    assert answers == [PING] * PINGS


def test_ping_interval_of_the_shim_is_allowed() -> None:
    assert server.MIN_PING_MS < SHIM_PINGS_MS
