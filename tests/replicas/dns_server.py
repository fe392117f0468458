"""A DNS server for one name, whose addresses a test changes. It answers A queries over UDP."""

from __future__ import annotations

import socket
import struct
import threading
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

HOST = "127.0.0.1"
MAX_QUERY_BYTES = 512
HEADER_BYTES = 12
TYPE_A, CLASS_IN = 1, 1
FOUND, NO_SUCH_NAME = 0x8580, 0x8583
"""Flags of an authoritative answer, without an error and with the error NXDOMAIN."""
POINTER_TO_QUESTION = 0xC00C
TTL_S = 0


class DnsServer:
    """The server, which runs in a thread while the context manager is open.

    Attributes:
        lookups_s: When the A query for the name was received, on the monotonic clock.
    """

    def __init__(self, name: str) -> None:
        self._name = name.encode()
        self._addresses: tuple[str, ...] = ()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((HOST, 0))
        self._thread = threading.Thread(target=self._serve, name="dns")
        self.lookups_s: list[float] = []

    @property
    def address(self) -> str:
        """Address of the server, as host:port."""
        return f"{HOST}:{self._socket.getsockname()[1]}"

    def publish(self, addresses: Iterable[str]) -> None:
        """Replace the addresses of the name. Without an address the name does not exist."""
        self._addresses = tuple(addresses)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while query_and_client := self._receive():
            query, client = query_and_client
            self._socket.sendto(self._answer(query), client)

    def _receive(self) -> tuple[bytes, tuple[str, int]] | None:
        """Return the next query and its sender; None after the empty packet that ends the server."""
        query, client = self._socket.recvfrom(MAX_QUERY_BYTES)
        return (query, client) if query else None

    def _answer(self, query: bytes) -> bytes:
        name, end = read_name(query)
        (kind,) = struct.unpack_from(">H", query, end)
        question = query[HEADER_BYTES : end + 4]
        exists = name.lower() == self._name and self._addresses
        is_address_query = kind == TYPE_A and name.lower() == self._name
        if is_address_query:
            self.lookups_s.append(time.monotonic())
        records = [a_record(address) for address in self._addresses] if exists and is_address_query else []
        head = query[:2] + struct.pack(">5H", FOUND if exists else NO_SUCH_NAME, 1, len(records), 0, 0)
        return head + question + b"".join(records)


def read_name(query: bytes) -> tuple[bytes, int]:
    """Return the name of the question without the final dot, and the offset after it."""
    labels, position = [], HEADER_BYTES
    while length := query[position]:
        labels.append(query[position + 1 : position + 1 + length])
        position += 1 + length
    return b".".join(labels), position + 1


def a_record(address: str) -> bytes:
    """Return the resource record of an IPv4 address for the name in the question."""
    data = socket.inet_aton(address)
    return struct.pack(">3HIH", POINTER_TO_QUESTION, TYPE_A, CLASS_IN, TTL_S, len(data)) + data
