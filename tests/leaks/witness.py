"""Records every byte that anyone receives of a match on the real Nakama, without volatile values.

Ids, names and times differ between two equally played matches; they are replaced. Everything else, above all
the cards, stays unchanged.
"""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from demo.client.player import Player
    from demo.stack.native import NativeStack

CONSOLE_LOGIN = {"username": "admin", "password": "password"}
TIMEOUT_S = 30.0
ATTEMPTS = 400
RETRY_DELAY_S = 0.05
_TIMES = re.compile(r'"(\w*(?:Ms|_ms|ts|time|elapsed\w*|tick))":\s*"?[-\d.:TZ]+"?')
_UUIDS = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_NAMES = re.compile(r"\bu[0-9a-f]{12}(?:-[0-9a-f]{4})?\b")


def normalized(text: str) -> str:
    """Return the text with times, ids and names replaced."""
    return _NAMES.sub("NAME", _UUIDS.sub("ID", _TIMES.sub(r'"\1":0', text)))


class Witness:
    """The views of non-players: Nakama's match listing, its console and the logs."""

    def __init__(self, stack: NativeStack, match_id: str) -> None:
        self.views: list[str] = []
        self._match_id = match_id
        self._logs = {log: log.stat().st_size for log in stack.logs}
        self._api = httpx.Client(base_url=stack.api_url, timeout=TIMEOUT_S, trust_env=False)
        self._console = httpx.Client(base_url=stack.console_url, timeout=TIMEOUT_S, trust_env=False)
        self._console_token = {"Authorization": f"Bearer {self._login()}"}

    def _login(self) -> str:
        """Return a console token; the console returns 503 for a second after the start of Nakama."""
        for _ in range(ATTEMPTS):
            answer = self._console.post("/v2/console/authenticate", json=CONSOLE_LOGIN)
            if answer.is_success:
                return str(answer.json()["token"])
            time.sleep(RETRY_DELAY_S)
        raise AssertionError(f"the console rejects the login: {answer.status_code} {answer.text}")

    def record_views(self, outsider_token: str) -> None:
        """Record the match in the list of any user and in the console."""
        self._record("listing", self._listed(outsider_token))
        self._record("console", self._console_state(f"/v2/console/match/{self._match_id}/state"))

    def _listed(self, token: str) -> object:
        """Return the listed match after the listing shows it as playing; the listing lags by a second."""
        header = {"Authorization": f"Bearer {token}"}
        query: dict[str, str | int] = {"limit": 100, "authoritative": "true"}
        for _ in range(ATTEMPTS):
            found = self._api.get("/v2/match", params=query, headers=header).json().get("matches", [])
            for listed in found:
                if listed["match_id"] == self._match_id and "PLAYING" in listed["label"]:
                    return listed
            time.sleep(RETRY_DELAY_S)
        raise AssertionError("the listing never contained the match as playing")

    def logged(self) -> str:
        """Return all log output since the start of the match."""
        return "\n".join(
            log.read_bytes()[start:].decode(errors="replace") for log, start in self._logs.items()
        )

    def close(self) -> None:
        """Close the connections."""
        self._api.close()
        self._console.close()

    def _console_state(self, path: str) -> object:
        answer = self._console.get(path, headers=self._console_token)
        answer.raise_for_status()
        return dict(answer.json())

    def _record(self, view: str, content: object) -> None:
        self.views.append(f"{view}: {normalized(json.dumps(content, sort_keys=True))}")


def received(player: Player) -> list[str]:
    """Return the messages of a player's connections with times, ids and names replaced."""
    return [normalized(data.decode()) for data in player.payloads]
