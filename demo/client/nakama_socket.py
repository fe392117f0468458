"""Client for Nakama's websocket: joins and leaves matches, sends and receives match data."""

from __future__ import annotations

import base64
import json
import socket
import time
from collections import deque
from contextlib import ExitStack, suppress
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from websockets.exceptions import ConnectionClosed, InvalidMessage
from websockets.sync.client import ClientConnection, connect

if TYPE_CHECKING:
    from collections.abc import Mapping

TIMEOUT_S = 30.0


class NakamaError(RuntimeError):
    """Nakama returned an error.

    Attributes:
        code: gRPC status code for HTTP, Nakama's own code for a socket.
        reason: The error text.
    """

    def __init__(self, code: int, reason: str) -> None:
        """Create an error with a code and a reason."""
        super().__init__(f"{reason} (code {code})")
        self.code = code
        self.reason = reason


class SocketClosedError(ConnectionError):
    """The socket is closed."""


class MatchData(NamedTuple):
    """One message of a match."""

    match_id: str
    op_code: int
    payload: bytes


class NakamaSocket:
    """One socket, without a thread of its own: only calls read from it.

    Messages that a call does not wait for are queued in order. The first message of a match can arrive before
    the response to `join_match`.
    """

    def __init__(self, url: str) -> None:
        """Connect. The queue here has no limit, because Nakama disconnects a client that reads slowly.

        Raises:
            OSError: Nakama is not reachable, or stopped during the handshake.
            websockets.exceptions.InvalidStatus: Nakama refused the connection, because of an expired token.
        """
        self._cleanup = ExitStack()
        self._connection = self._cleanup.enter_context(_connected(url))
        self._match_data: deque[MatchData] = deque()
        self._events: deque[dict[str, Any]] = deque()
        self._ids = count(1)

    def join_match(self, match_id: str, metadata: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Join a match and return Nakama's response: label, size, presences, self.

        Raises:
            NakamaError: The match rejected the join, or does not exist.
        """
        request = {"match_id": match_id, "metadata": dict(metadata or {})}
        return dict(self._request({"match_join": request})["match"])

    def rpc(self, name: str, payload: Mapping[str, object]) -> dict[str, Any]:
        """Call an RPC of the plugin and return its response.

        Raises:
            NakamaError: The RPC returned an error. The code is always 7, the reason has the gRPC code.
        """
        response = self._request({"rpc": {"id": name, "payload": json.dumps(payload)}})
        return dict(json.loads(response["rpc"]["payload"]))

    def create_relayed_match(self) -> dict[str, Any]:
        """Create a relayed match, without a match handler.

        Raises:
            NakamaError: Always, because the plugin disables relayed matches.
        """
        return self._request({"match_create": {}})

    def leave_match(self, match_id: str) -> None:
        """Leave a match intentionally."""
        self._request({"match_leave": {"match_id": match_id}})

    def send(self, match_id: str, op_code: int, payload: bytes) -> None:
        """Send match data. Nakama does not respond to it."""
        data = base64.b64encode(payload).decode()
        self._write({"match_data_send": {"match_id": match_id, "op_code": str(op_code), "data": data}})

    def receive(self, within_s: float = TIMEOUT_S) -> MatchData:
        """Return the next message of a match.

        Raises:
            TimeoutError: No message arrived in time.
            SocketClosedError: The socket is closed.
        """
        deadline = time.monotonic() + within_s
        while not self._match_data:
            self._enqueue(self._read(deadline))
        return self._match_data.popleft()

    def wait_for_event(self, kind: str, within_s: float = TIMEOUT_S) -> dict[str, Any]:
        """Return the next event of Nakama of a kind, such as `matchmaker_matched` or `notifications`.

        Raises:
            TimeoutError: No message arrived in time.
            SocketClosedError: The socket is closed.
        """
        deadline = time.monotonic() + within_s
        while True:
            while self._events:
                event = self._events.popleft()
                if kind in event:
                    return dict(event[kind])
            self._enqueue(self._read(deadline))

    def break_connection(self) -> None:
        """Break the TCP connection without closing the websocket."""
        self._connection.socket.shutdown(socket.SHUT_RDWR)
        self.close()

    def close(self) -> None:
        """Close the socket."""
        with suppress(ConnectionClosed, OSError):
            self._cleanup.close()

    def _request(self, envelope: dict[str, Any]) -> dict[str, Any]:
        """Send an envelope and return the response to it."""
        cid = str(next(self._ids))
        self._write({"cid": cid, **envelope})
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            received = self._read(deadline)
            if received.get("cid") == cid:
                return _checked(received)
            self._enqueue(received)

    def _enqueue(self, envelope: dict[str, Any]) -> None:
        """Queue an envelope that is no response: match data, or an event of Nakama."""
        data = _checked(envelope).get("match_data")
        if data is None:
            self._events.append(envelope)
        else:
            payload = base64.b64decode(data.get("data", ""))
            self._match_data.append(MatchData(data["match_id"], int(data["op_code"]), payload))

    def _write(self, envelope: dict[str, Any]) -> None:
        try:
            self._connection.send(json.dumps(envelope))
        except ConnectionClosed as closed:
            raise SocketClosedError(str(closed)) from closed

    def _read(self, deadline: float) -> dict[str, Any]:
        try:
            return dict(json.loads(self._connection.recv(timeout=max(0.0, deadline - time.monotonic()))))
        except ConnectionClosed as closed:
            raise SocketClosedError(str(closed)) from closed


def _connected(url: str) -> ClientConnection:
    try:
        return connect(url, max_queue=None, compression=None, proxy=None)
    except (ConnectionClosed, InvalidMessage) as interrupted:
        raise SocketClosedError(str(interrupted)) from interrupted


def _checked(envelope: dict[str, Any]) -> dict[str, Any]:
    error = envelope.get("error")
    if error is not None:
        raise NakamaError(int(error.get("code", 0)), str(error.get("message", "")))
    return envelope
