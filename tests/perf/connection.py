"""A websocket to Nakama that needs little processor time, so that the load generator is not the bottleneck.

The framing is that of the `websockets` library, but without a task and a queue per connection.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from itertools import count
from typing import Any

import msgspec
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import parse_uri

RESPONSE_TIMEOUT_S = 60.0
TRY_AGAIN = "try again"
JOIN_ATTEMPTS = 10
JOIN_PAUSE_S = 0.5

RPC_RESPONSE = 0
"""Takes the place of the op code for the response of an RPC."""

OnMessage = Callable[[int, bytes], None]
"""Receives the op code and the payload of a message from a match, or of the response of an RPC."""


class RequestError(ConnectionError):
    """Nakama rejected a request, or the connection was lost; the message has the reason."""


class _Data(msgspec.Struct):
    op_code: str
    data: bytes = b""


class _Rpc(msgspec.Struct):
    payload: str = ""


class _Envelope(msgspec.Struct):
    cid: str = ""
    rpc: _Rpc | None = None
    match_data: _Data | None = None
    error: dict[str, Any] | None = None


_decode = msgspec.json.Decoder(_Envelope).decode


class Connection(asyncio.Protocol):
    """An open connection, created by `open_connection`."""

    def __init__(self, url: str, on_message: OnMessage) -> None:
        self.joined = False
        self.closed = asyncio.Event()
        self._on_message = on_message
        self._frames = ClientProtocol(parse_uri(url))
        self._transport: asyncio.Transport | None = None
        self._ids = count(1)
        self._answers: dict[str, asyncio.Future[None]] = {}
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def lost(self) -> bool:
        """Whether the connection is closed."""
        return self.closed.is_set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._frames.send_request(self._frames.connect())
        self._flush()

    def data_received(self, data: bytes) -> None:
        self._frames.receive_data(data)
        for event in self._frames.events_received():
            if isinstance(event, Frame):
                self._receive(event)
            elif isinstance(event, Response) and not self.opened.done():
                self.opened.set_result(None)
        self._flush()

    def connection_lost(self, _error: Exception | None) -> None:
        self.closed.set()
        for waiting in (self.opened, *self._answers.values()):
            if not waiting.done():
                waiting.set_exception(RequestError("the connection was lost"))

    async def join(self, match_id: str) -> None:
        """Join a match, several times during an outage; raise `RequestError` if the join is rejected."""
        for attempt in range(JOIN_ATTEMPTS):
            try:
                await self._request({"match_join": {"match_id": match_id}})
                break
            except RequestError as error:
                if TRY_AGAIN not in str(error) or attempt == JOIN_ATTEMPTS - 1:
                    raise
            await asyncio.sleep(JOIN_PAUSE_S)
        self.joined = True

    async def leave(self, match_id: str) -> None:
        await self._request({"match_leave": {"match_id": match_id}})

    def send(self, match_id: str, op_code: int, payload: bytes) -> None:
        data = base64.b64encode(payload).decode()
        self._write(
            f'{{"match_data_send":{{"match_id":"{match_id}","op_code":"{op_code}","data":"{data}"}}}}'.encode()
        )

    def call(self, rpc: str, payload: bytes) -> None:
        """Call an RPC over the websocket. Its response goes to the handler of messages."""
        self.send_envelope({"cid": "rpc", "rpc": {"id": rpc, "payload": payload.decode()}})

    def send_envelope(self, envelope: dict[str, object]) -> None:
        """Send a request and ignore its response."""
        self._write(json.dumps(envelope).encode())

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    async def _request(self, envelope: dict[str, object]) -> None:
        if self._frames.state is not State.OPEN:
            raise RequestError("the connection is closed")
        cid = str(next(self._ids))
        answer = asyncio.get_running_loop().create_future()
        self._answers[cid] = answer
        self._write(json.dumps({"cid": cid, **envelope}).encode())
        await asyncio.wait_for(answer, RESPONSE_TIMEOUT_S)

    def _receive(self, frame: Frame) -> None:
        if frame.opcode is not Opcode.TEXT:
            return
        envelope = _decode(frame.data)
        if envelope.match_data is not None:
            self._on_message(int(envelope.match_data.op_code), envelope.match_data.data)
        elif envelope.rpc is not None:
            self._on_message(RPC_RESPONSE, envelope.rpc.payload.encode())
        elif answer := self._answers.pop(envelope.cid, None):
            self._complete(answer, envelope.error)

    def _complete(self, answer: asyncio.Future[None], error: dict[str, Any] | None) -> None:
        if error is None:
            answer.set_result(None)
        else:
            answer.set_exception(RequestError(str(error.get("message"))))

    def _write(self, text: bytes) -> None:
        if self._frames.state is not State.OPEN:
            return  # the peer has closed the connection
        self._frames.send_text(text)
        self._flush()

    def _flush(self) -> None:
        assert self._transport is not None
        for piece in self._frames.data_to_send():
            if piece:
                self._transport.write(piece)


async def open_connection(url: str, on_message: OnMessage) -> Connection:
    """Open a connection to Nakama's websocket."""
    address = parse_uri(url)
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(
        lambda: Connection(url, on_message), address.host, address.port
    )
    await asyncio.wait_for(connection.opened, RESPONSE_TIMEOUT_S)
    return connection
