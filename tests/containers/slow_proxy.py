"""A TCP proxy that hands everything on later: `python slow_proxy.py HOST:PORT SECONDS`.."""

from __future__ import annotations

import asyncio
import sys

CHUNK = 65536
PORT = 7400


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seconds: float) -> None:
    """Hand on what comes, each piece so many seconds after it came, in order."""
    pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
    delivery = asyncio.create_task(deliver(pieces, writer))
    clock = asyncio.get_running_loop().time
    while data := await reader.read(CHUNK):
        pieces.put_nowait((clock() + seconds, data))
    pieces.put_nowait((clock() + seconds, b""))
    await delivery


async def deliver(pieces: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter) -> None:
    clock = asyncio.get_running_loop().time
    while True:
        due, data = await pieces.get()
        await asyncio.sleep(due - clock())
        if not data:
            writer.close()
            return
        writer.write(data)
        await writer.drain()


async def serve(host: str, port: str, seconds: float) -> None:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        onward_reader, onward_writer = await asyncio.open_connection(host, port)
        there = carry(reader, onward_writer, seconds)
        back = carry(onward_reader, writer, seconds)
        await asyncio.gather(there, back, return_exceptions=True)

    server = await asyncio.start_server(connected, "0.0.0.0", PORT)  # noqa: S104 - in a network of the tests
    await server.serve_forever()


if __name__ == "__main__":
    target_host, target_port = sys.argv[1].split(":")
    asyncio.run(serve(target_host, target_port, float(sys.argv[2])))
