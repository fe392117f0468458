"""Sockets that also keep what Nakama tells unasked: matched tickets and notifications."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from demo.nakama_socket import NakamaSocket

if TYPE_CHECKING:
    from collections.abc import Mapping

    from demo.nakama_client import NakamaClient

TOLD_WITHIN_S = 30.0


class TicketSocket(NakamaSocket):
    """A socket of somebody who looks for a match with the matchmaker."""

    def __init__(self, user: NakamaClient) -> None:
        self.told: list[dict[str, Any]] = []
        super().__init__(user.socket_url)

    def add_ticket(self, count: int, properties: Mapping[str, str]) -> str:
        """Ask for a match of so many; the ticket."""
        wish = {
            "min_count": count,
            "max_count": count,
            "query": "*",
            "string_properties": dict(properties),
        }
        return str(self._ask({"matchmaker_add": wish})["matchmaker_ticket"]["ticket"])

    def join_token(self, token: str) -> dict[str, Any]:
        """Join with the token of matched tickets instead of a match id."""
        return dict(self._ask({"match_join": {"token": token}}))

    def wait_for(self, kind: str) -> dict[str, Any]:
        """What Nakama told of this kind, as soon as it does."""
        deadline = time.monotonic() + TOLD_WITHIN_S
        while not (found := [envelope[kind] for envelope in self.told if kind in envelope]):
            self._take_in(self._read(deadline))
        return dict(found[0])

    def _take_in(self, envelope: dict[str, Any]) -> None:
        super()._take_in(envelope)
        self.told.append(envelope)
