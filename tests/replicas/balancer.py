"""A load balancer for TCP: it forwards each new connection to the next backend."""

from __future__ import annotations

import asyncio
import threading
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

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        backend_reader, backend_writer = await asyncio.open_connection(next(self._backends), self._port)
        directions = ((reader, backend_writer), (backend_reader, writer))
        await asyncio.gather(*(forward(*direction) for direction in directions), return_exceptions=True)


async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Forward all data, and then close the connection to the receiver."""
    try:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()
