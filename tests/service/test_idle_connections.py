"""The shim pings connections that carry no call; the server is not to close them for it."""

import socket
import time
from collections.abc import Iterator

import pytest

from match_handler.service import server
from tests.service.served import serving

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0"
"""What an HTTP/2 connection begins with, and settings that change nothing (RFC 9113, sections 3.4, 6.5)."""

PING, GOAWAY, ACK = 6, 7, 1
HEAD = 9
PINGS = 10
SHIM_PINGS_MS = 10_000
"""nakama/rules.go: keepaliveTime."""

WAIT_S = 0.01


def frames(connection: socket.socket) -> Iterator[tuple[int, int, bytes]]:
    """Type, flags and payload of every frame that comes."""
    with connection.makefile("rb") as stream:
        while head := stream.read(HEAD):
            yield head[3], head[4], stream.read(int.from_bytes(head[:3]))


def answer_to(ping: bytes, incoming: Iterator[tuple[int, int, bytes]]) -> int:
    """Which frame ends the wait for the answer: that answer, or the server's farewell."""
    for kind, flags, payload in incoming:
        if kind == GOAWAY or (kind == PING and flags & ACK and payload == ping):
            return kind
    raise AssertionError("closed without a word")


def test_pings_no_oftener_than_allowed_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MIN_PING_MS", 1)
    answers = []
    with serving() as running, socket.create_connection(("127.0.0.1", running.port)) as connection:
        connection.sendall(PREFACE)
        incoming = frames(connection)
        for number in range(PINGS):
            time.sleep(WAIT_S)
            ping = number.to_bytes(8)
            connection.sendall(b"\0\0\x08\x06\0\0\0\0\0" + ping)
            answers.append(answer_to(ping, incoming))
    assert answers == [PING] * PINGS


def test_the_shim_pings_no_oftener_than_allowed() -> None:
    assert server.MIN_PING_MS < SHIM_PINGS_MS
