"""A small client of Nakama's websocket: joining, leaving and sending into matches, reading what they send."""

from __future__ import annotations

import base64
import json
import socket
import time
from collections import deque
from contextlib import ExitStack, suppress
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

if TYPE_CHECKING:
    from collections.abc import Mapping

ANSWER_WITHIN_S = 30.0


class NakamaError(RuntimeError):
    """Nakama answered with an error.

    Attributes:
        code: gRPC's code for an HTTP call, Nakama's own for a socket.
        reason: What it said.
    """

    def __init__(self, code: int, reason: str) -> None:
        """Take the code and the reason."""
        super().__init__(f"{reason} (code {code})")
        self.code = code
        self.reason = reason


class SocketClosedError(ConnectionError):
    """The socket is closed; nothing more comes."""


class MatchData(NamedTuple):
    """What a match sent."""

    match_id: str
    op_code: int
    payload: bytes


class NakamaSocket:
    """One socket, read by whoever asks.

    What a match sends before it is asked for waits here, in order. A match's first message may come before
    the answer to `join_match`; it waits like any other.
    """

    def __init__(self, url: str) -> None:
        """Connect. Messages pile up here rather than in Nakama, which drops a client that is slow to read."""
        self._opened = ExitStack()
        self._connection = self._opened.enter_context(
            connect(url, max_queue=None, compression=None, proxy=None),
        )
        self._waiting: deque[MatchData] = deque()
        self._news: deque[dict[str, Any]] = deque()
        self._ids = count(1)

    def join_match(self, match_id: str, metadata: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Join a match; return Nakama's answer: label, size, presences, self.

        Raises:
            NakamaError: The match refused, or is not there.
        """
        wish = {"match_id": match_id, "metadata": dict(metadata or {})}
        return dict(self._ask({"match_join": wish})["match"])

    def rpc(self, name: str, payload: Mapping[str, object]) -> dict[str, Any]:
        """Call an RPC of the plugin; return its answer.

        Raises:
            NakamaError: It answered with an error; the code is always 7, the reason begins with gRPC's name.
        """
        answer = self._ask({"rpc": {"id": name, "payload": json.dumps(payload)}})
        return dict(json.loads(answer["rpc"]["payload"]))

    def create_relayed_match(self) -> dict[str, Any]:
        """Ask for a match without a referee.

        Raises:
            NakamaError: There are none here.
        """
        return self._ask({"match_create": {}})

    def leave_match(self, match_id: str) -> None:
        """Leave a match on purpose."""
        self._ask({"match_leave": {"match_id": match_id}})

    def send(self, match_id: str, op_code: int, payload: bytes) -> None:
        """Send into a match; Nakama never answers this."""
        data = base64.b64encode(payload).decode()
        self._write({"match_data_send": {"match_id": match_id, "op_code": str(op_code), "data": data}})

    def receive(self, within_s: float = ANSWER_WITHIN_S) -> MatchData:
        """Return the next thing that a match sent.

        Raises:
            TimeoutError: Nothing came within that time.
            SocketClosedError: The socket is closed.
        """
        deadline = time.monotonic() + within_s
        while not self._waiting:
            self._take_in(self._read(deadline))
        return self._waiting.popleft()

    def news(self, kind: str, within_s: float = ANSWER_WITHIN_S) -> dict[str, Any]:
        """Return the next thing of a kind that Nakama tells, such as `matchmaker_matched` or `notifications`.

        Raises:
            TimeoutError: Nothing came within that time.
            SocketClosedError: The socket is closed.
        """
        deadline = time.monotonic() + within_s
        while True:
            while self._news:
                told = self._news.popleft()
                if kind in told:
                    return dict(told[kind])
            self._take_in(self._read(deadline))

    def drop(self) -> None:
        """Lose the connection: no goodbye, no answer to anything."""
        self._connection.socket.shutdown(socket.SHUT_RDWR)
        self.close()

    def close(self) -> None:
        """Close the socket."""
        with suppress(ConnectionClosed, OSError):
            self._opened.close()

    def _ask(self, envelope: dict[str, Any]) -> dict[str, Any]:
        """Send an envelope and return the answer to it."""
        cid = str(next(self._ids))
        self._write({"cid": cid, **envelope})
        deadline = time.monotonic() + ANSWER_WITHIN_S
        while True:
            answer = self._read(deadline)
            if answer.get("cid") == cid:
                return _checked(answer)
            self._take_in(answer)

    def _take_in(self, envelope: dict[str, Any]) -> None:
        """Keep what came unasked: what a match sent apart from what Nakama tells."""
        data = _checked(envelope).get("match_data")
        if data is None:
            self._news.append(envelope)
        else:
            payload = base64.b64decode(data.get("data", ""))
            self._waiting.append(MatchData(data["match_id"], int(data["op_code"]), payload))

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


def _checked(envelope: dict[str, Any]) -> dict[str, Any]:
    error = envelope.get("error")
    if error is not None:
        raise NakamaError(int(error.get("code", 0)), str(error.get("message", "")))
    return envelope
