"""Writes down every byte that anybody receives of a match on the real Nakama, without what differs by itself.

Ids, names and times differ between two matches that are played alike; they are replaced. Everything else,
cards above all, is kept as it was.
"""

from __future__ import annotations

import json
import re
import time
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from demo.player import Player
    from demo.stack import NativeStack

CONSOLE_LOGIN = {"username": "admin", "password": "password"}
WITHIN_S = 30.0
LOOKS = 400
BETWEEN_LOOKS_S = 0.05
_TIMES = re.compile(r'"(\w*(?:Ms|_ms|ts|time|elapsed\w*|tick))":\s*"?[-\d.:TZ]+"?')
_UUIDS = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_NAMES = re.compile(r"\bu[0-9a-f]{12}(?:-[0-9a-f]{4})?\b")


def without_chance(text: str) -> str:
    """A text without times, ids and names."""
    return _NAMES.sub("NAME", _UUIDS.sub("ID", _TIMES.sub(r'"\1":0', text)))


class Witness:
    """What everybody but the players sees: Nakama's listing, its console, and the logs."""

    def __init__(self, stack: NativeStack, match_id: str) -> None:
        self.seen: list[str] = []
        self._match_id = match_id
        self._logs = {log: log.stat().st_size for log in stack.logs}
        self._api = httpx.Client(base_url=stack.api_url, timeout=WITHIN_S, trust_env=False)
        self._console = httpx.Client(base_url=stack.console_url, timeout=WITHIN_S, trust_env=False)
        self._console_token = {"Authorization": f"Bearer {self._login()}"}

    def _login(self) -> str:
        """A token of the console, which answers 503 for a second when Nakama has just begun to serve."""
        for _ in range(LOOKS):
            answer = self._console.post("/v2/console/authenticate", json=CONSOLE_LOGIN)
            if answer.is_success:
                return str(answer.json()["token"])
            time.sleep(BETWEEN_LOOKS_S)
        raise AssertionError(f"the console lets nobody in: {answer.status_code} {answer.text}")

    def look(self, outsider_token: str) -> None:
        """Reads what any user finds in the list of matches, and what the console shows of this one."""
        self._keep("listing", self._listed(outsider_token))
        self._keep("console", self._of_console(f"/v2/console/match/{self._match_id}/state"))

    def _listed(self, token: str) -> object:
        """The match in the list, as soon as the list knows that it is being played: it lags a second."""
        header = {"Authorization": f"Bearer {token}"}
        query: dict[str, str | int] = {"limit": 100, "authoritative": "true"}
        for _ in range(LOOKS):
            found = self._api.get("/v2/match", params=query, headers=header).json().get("matches", [])
            for listed in found:
                if listed["match_id"] == self._match_id and "PLAYING" in listed["label"]:
                    return listed
            time.sleep(BETWEEN_LOOKS_S)
        raise AssertionError("the list never shows the match")

    def logged(self) -> str:
        """What was logged since the beginning, by any program."""
        return "\n".join(
            log.read_bytes()[start:].decode(errors="replace") for log, start in self._logs.items()
        )

    def close(self) -> None:
        """Lets go of the connections."""
        self._api.close()
        self._console.close()

    def _of_console(self, path: str) -> object:
        answer = self._console.get(path, headers=self._console_token)
        answer.raise_for_status()
        return dict(answer.json())

    def _keep(self, where: str, what: object) -> None:
        self.seen.append(f"{where}: {without_chance(json.dumps(what, sort_keys=True))}")


def received(player: Player) -> list[str]:
    """What a player's connections received, byte for byte but for times, ids and names."""
    return [without_chance(data.decode()) for data in player.raw]
