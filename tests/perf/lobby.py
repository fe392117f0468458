"""Users and matches over Nakama's HTTP API, with a limited number of concurrent requests."""

from __future__ import annotations

import asyncio
import uuid
from itertools import count
from typing import TYPE_CHECKING, Self
from urllib.parse import urlencode

import httpx

from demo.client.nakama_client import SERVER_KEY

if TYPE_CHECKING:
    from collections.abc import Sequence

AT_ONCE = 8
ANSWER_WITHIN_S = 60.0


class Lobby:
    """Signs users in and calls the plugin's RPCs."""

    def __init__(self, api_url: str) -> None:
        self._url = api_url
        self._http = httpx.AsyncClient(base_url=api_url, timeout=ANSWER_WITHIN_S, trust_env=False)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._names = (f"{uuid.uuid4().hex[:8]}-{number}" for number in count())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def sign_in(self) -> str:
        """Return the token of a new user."""
        name = next(self._names)
        async with self._turns:
            answer = await self._http.post(
                "/v2/account/authenticate/device",
                params={"create": "true", "username": name},
                json={"id": f"load-{name}"},
                auth=(SERVER_KEY, ""),
            )
        return str(answer.raise_for_status().json()["token"])

    def socket_url(self, token: str) -> str:
        query = urlencode({"token": token, "format": "json", "status": "false", "lang": "en"})
        return f"{self._url.replace('http', 'ws', 1)}/ws?{query}"

    async def create(self, token: str, rpc: str, options: dict[str, object]) -> str:
        """Call an RPC that creates a match and return the match id."""
        answer = await self._call(token, rpc, options)
        return str(answer.raise_for_status().json()["matchId"])

    async def status(self, token: str, rpc: str, options: dict[str, object]) -> int:
        """Return the HTTP status code of an RPC."""
        return (await self._call(token, rpc, options)).status_code

    async def records(self, token: str, keys: Sequence[str]) -> dict[str, bytes]:
        """Return the records stored under these keys."""
        found = await asyncio.gather(*(self._record(token, key) for key in keys))
        return {key: record for key, record in zip(keys, found, strict=True) if record is not None}

    async def _record(self, token: str, key: str) -> bytes | None:
        answer = await self._call(token, "set_record", {"recordKey": key})
        return None if answer.status_code == httpx.codes.NOT_FOUND else answer.raise_for_status().content

    async def _call(self, token: str, rpc: str, payload: dict[str, object]) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"}
        async with self._turns:
            return await self._http.post(
                f"/v2/rpc/{rpc}", params={"unwrap": "true"}, json=payload, headers=headers
            )
