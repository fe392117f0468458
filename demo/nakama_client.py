"""A small client of Nakama's HTTP API: signing in, calling RPCs, reading storage."""

from __future__ import annotations

import base64
import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

import httpx

from demo.nakama_socket import NakamaError, NakamaSocket

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

SERVER_KEY = "defaultkey"
ANSWER_WITHIN_S = 30.0
NOT_FOUND = 5


class NakamaClient:
    """One signed-in user.

    Attributes:
        user_id: The user's id.
        username: The user's name.
    """

    def __init__(self, url: str, device_id: str, username: str) -> None:
        """Sign in with a device id (10..128 characters), and sign up before if it is new.

        Raises:
            NakamaError: Nakama refused.
        """
        self._url = url
        self._http = httpx.Client(base_url=url, timeout=ANSWER_WITHIN_S, trust_env=False)
        with ExitStack() as undo:
            undo.callback(self._http.close)
            self.token = self._authenticate(device_id, username)
            undo.pop_all()
        claims = _claims(self.token)
        self.user_id = str(claims["uid"])
        self.username = str(claims["usn"])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections to the HTTP API."""
        self._http.close()

    def rpc(self, name: str, payload: Mapping[str, object] | str) -> dict[str, Any]:
        """Call an RPC of the plugin with an object, or with any text as it is.

        Raises:
            NakamaError: It answered with an error; the code is gRPC's.
        """
        text = payload if isinstance(payload, str) else json.dumps(payload)
        return self._post(f"/v2/rpc/{name}", params={"unwrap": "true"}, content=text)

    def record(self, key: str) -> dict[str, Any] | None:
        """Return the record of a game, or None while it is not written."""
        try:
            return self.rpc("set_record", {"recordKey": key})
        except NakamaError as error:
            if error.code == NOT_FOUND:
                return None
            raise

    def listed_objects(self, collection: str) -> list[dict[str, Any]]:
        """Return the objects of a collection that Nakama lists to this user, 100 at most."""
        return list(self._get(f"/v2/storage/{collection}", limit="100").get("objects", []))

    def leaderboard_entry(self, board: str) -> tuple[int, int] | None:
        """Return this user's score and subscore on a leaderboard, or None."""
        found = self._leaderboard_records(board)
        return (int(found[0].get("score", 0)), int(found[0].get("subscore", 0))) if found else None

    def leaderboard_metadata(self, board: str) -> dict[str, Any]:
        """Return what this user's entry on a leaderboard says of its last game; empty without an entry."""
        found = self._leaderboard_records(board)
        return dict(json.loads(found[0]["metadata"])) if found else {}

    def _leaderboard_records(self, board: str) -> list[dict[str, Any]]:
        """A leaderboard is created with its first record."""
        try:
            found = self._get(f"/v2/leaderboard/{board}", owner_ids=self.user_id)
        except NakamaError as error:
            if error.code == NOT_FOUND:
                return []
            raise
        return list(found.get("owner_records", []))

    def matches(self, query: str = "") -> list[dict[str, Any]]:
        """Return the authoritative matches that Nakama lists, 100 at most; a query asks for labels."""
        wish = {"query": query} if query else {}
        answer = self._get("/v2/match", authoritative="true", limit="100", min_size="0", **wish)
        return list(answer.get("matches", []))

    @property
    def socket_url(self) -> str:
        """Where this user opens sockets."""
        query = urlencode({"token": self.token, "format": "json", "status": "false", "lang": "en"})
        return f"{self._url.replace('http', 'ws', 1)}/ws?{query}"

    def connect(self) -> NakamaSocket:
        """Open a socket for this user."""
        return NakamaSocket(self.socket_url)

    @property
    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def _authenticate(self, device_id: str, username: str) -> str:
        answer = self._http.post(
            "/v2/account/authenticate/device",
            params={"create": "true", "username": username},
            json={"id": device_id},
            auth=(SERVER_KEY, ""),
        )
        return str(_checked(answer)["token"])

    def _get(self, path: str, **params: str) -> dict[str, Any]:
        return _checked(self._http.get(path, params=params, headers=self._bearer))

    def _post(self, path: str, **what: Any) -> dict[str, Any]:  # noqa: ANN401 - httpx's own keywords
        return _checked(self._http.post(path, headers=self._bearer, **what))


def _claims(token: str) -> dict[str, Any]:
    """Return what a session token says of its user."""
    body = token.split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))))


def _checked(answer: httpx.Response) -> dict[str, Any]:
    content = answer.json()
    if not answer.is_success:
        raise NakamaError(int(content.get("code", 2)), str(content.get("message", content)))
    return dict(content)
