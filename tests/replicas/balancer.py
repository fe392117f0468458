"""A load balancer for TCP: it forwards each new connection to the next backend."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from itertools import cycle
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence

CHUNK = 65536


class Balancer:
    """The load balancer, which runs in a thread while the context manager is open.

    Args:
        host: The address to listen on.
        port: The port of the balancer and of all backends.
        backends: The addresses of the backends.
    """

    def __init__(self, host: str, port: int, backends: Sequence[str]) -> None:
        self.host = host
        self._port = port
        self._backends = cycle(backends)
        self._loop: asyncio.AbstractEventLoop
        self._closed = asyncio.Event()
        self._connections: list[asyncio.Task[None]] = []
        self._transports: list[asyncio.WriteTransport] = []
        self._listening = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="balancer")

    def __enter__(self) -> Self:
        self._thread.start()
        self._listening.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._closed.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        server = await asyncio.start_server(self._connected, self.host, self._port)
        self._listening.set()
        await self._closed.wait()
        server.close()
        for transport in self._transports:
            transport.abort()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._transports.append(writer.transport)
        self._connections.append(self._loop.create_task(self._forward(reader, writer)))

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            backend_reader, backend_writer = await asyncio.open_connection(next(self._backends), self._port)
        except OSError:
            writer.transport.abort()
            return
        self._transports.append(backend_writer.transport)
        await asyncio.gather(forward(reader, backend_writer), forward(backend_reader, writer))


async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward all data until one side ends the connection, and then end the connection to the receiver."""
    with suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()
