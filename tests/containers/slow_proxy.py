"""A TCP proxy that forwards all data with a delay: `python slow_proxy.py HOST:PORT SECONDS`."""

from __future__ import annotations

import asyncio
import sys

CHUNK = 65536
PORT = 7400


async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Forward each chunk in order, with a delay."""
    chunks: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
    writing = asyncio.create_task(write_when_due(chunks, writer))
    clock = asyncio.get_running_loop().time
    while data := await reader.read(CHUNK):
        chunks.put_nowait((clock() + seconds, data))
    chunks.put_nowait((clock() + seconds, b""))
    await writing


async def write_when_due(chunks: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
    """Write the queued chunks at their times; an empty chunk closes the connection."""
    clock = asyncio.get_running_loop().time
    while True:
        due, data = await chunks.get()
        await asyncio.sleep(due - clock())
        if not data:
            writer.close()
            return
        writer.write(data)
        await writer.drain()


async def serve(host: str, port: str, seconds: float) -> None:
    """Accept connections and forward each to the target."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target_reader, target_writer = await asyncio.open_connection(host, port)
        requests = forward(reader, target_writer, seconds)
        responses = forward(target_reader, writer, seconds)
        await asyncio.gather(requests, responses, return_exceptions=True)

    server = await asyncio.start_server(connected, "0.0.0.0", PORT)  # noqa: S104 - in a network of the tests
    await server.serve_forever()


if __name__ == "__main__":
    target_host, target_port = sys.argv[1].split(":")
    asyncio.run(serve(target_host, target_port, float(sys.argv[2])))
