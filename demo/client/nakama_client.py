"""Client for Nakama's HTTP API: authentication, RPCs, storage, leaderboards."""

from __future__ import annotations

import base64
import json
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

import httpx

from demo.client.nakama_socket import NakamaError, NakamaSocket

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

SERVER_KEY = "defaultkey"
TIMEOUT_S = 30.0
NOT_FOUND = 5


class NakamaClient:
    """One authenticated user.

    Attributes:
        user_id: The user's id.
        username: The user's name.
    """

    def __init__(self, url: str, device_id: str, username: str) -> None:
        """Authenticate with a device id (10..128 characters); create the user if it is new.

        Raises:
            NakamaError: Nakama returned an error.
        """
        self._url = url
        self._http = httpx.Client(base_url=url, timeout=TIMEOUT_S, trust_env=False)
        with ExitStack() as cleanup:
            cleanup.callback(self._http.close)
            self.token = self._authenticate(device_id, username)
            cleanup.pop_all()
        claims = token_claims(self.token)
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
        """Close the connections to the HTTP API."""
        self._http.close()

    def rpc(self, name: str, payload: Mapping[str, object] | str) -> dict[str, Any]:
        """Call an RPC of the plugin with an object as JSON, or with an unchanged text.

        Raises:
            NakamaError: The RPC returned an error, with a gRPC status code.
        """
        text = payload if isinstance(payload, str) else json.dumps(payload)
        return self._post(f"/v2/rpc/{name}", params={"unwrap": "true"}, content=text)

    def record(self, key: str) -> dict[str, Any] | None:
        """Return the record of a game, or None if it is not written yet."""
        try:
            return self.rpc("set_record", {"recordKey": key})
        except NakamaError as error:
            if error.code == NOT_FOUND:
                return None
            raise

    def listed_objects(self, collection: str) -> list[dict[str, Any]]:
        """Return the objects of a collection that this user can list, 100 at most."""
        return list(self._get(f"/v2/storage/{collection}", limit="100").get("objects", []))

    def leaderboard_entry(self, board: str) -> tuple[int, int] | None:
        """Return this user's score and subscore on a leaderboard, or None."""
        records = self._leaderboard_records(board)
        return (int(records[0].get("score", 0)), int(records[0].get("subscore", 0))) if records else None

    def leaderboard_metadata(self, board: str) -> dict[str, Any]:
        """Return the metadata of this user's entry on a leaderboard; empty without an entry."""
        records = self._leaderboard_records(board)
        return dict(json.loads(records[0]["metadata"])) if records else {}

    def _leaderboard_records(self, board: str) -> list[dict[str, Any]]:
        """Return this user's entries; empty also if the leaderboard does not exist before its first entry."""
        try:
            response = self._get(f"/v2/leaderboard/{board}", owner_ids=self.user_id)
        except NakamaError as error:
            if error.code == NOT_FOUND:
                return []
            raise
        return list(response.get("owner_records", []))

    def matches(self, query: str = "") -> list[dict[str, Any]]:
        """Return the authoritative matches that Nakama lists, 100 at most. The query is about labels."""
        params = {"query": query} if query else {}
        response = self._get("/v2/match", authoritative="true", limit="100", min_size="0", **params)
        return list(response.get("matches", []))

    @property
    def socket_url(self) -> str:
        """URL for the sockets of this user."""
        query = urlencode({"token": self.token, "format": "json", "status": "false", "lang": "en"})
        return f"{self._url.replace('http', 'ws', 1)}/ws?{query}"

    def connect(self) -> NakamaSocket:
        """Open a socket for this user."""
        return NakamaSocket(self.socket_url)

    @property
    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def _authenticate(self, device_id: str, username: str) -> str:
        response = self._http.post(
            "/v2/account/authenticate/device",
            params={"create": "true", "username": username},
            json={"id": device_id},
            auth=(SERVER_KEY, ""),
        )
        return str(_checked(response)["token"])

    def _get(self, path: str, **params: str) -> dict[str, Any]:
        return _checked(self._http.get(path, params=params, headers=self._bearer))

    def _post(self, path: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401 - keywords of httpx
        return _checked(self._http.post(path, headers=self._bearer, **options))


def token_claims(token: str) -> dict[str, Any]:
    """Return the claims of a session token, without verification."""
    body = token.split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))))


def _checked(response: httpx.Response) -> dict[str, Any]:
    content = response.json()
    if not response.is_success:
        raise NakamaError(int(content.get("code", 2)), str(content.get("message", content)))
    return dict(content)
