"""A socket that can send tickets to Nakama's matchmaker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from demo.client.nakama_socket import NakamaSocket

if TYPE_CHECKING:
    from collections.abc import Mapping


class TicketSocket(NakamaSocket):
    """A socket of a user who looks for a match with the matchmaker."""

    def add_ticket(self, count: int, properties: Mapping[str, str]) -> str:
        """Send a ticket for a match of exactly `count` players and return the ticket's id."""
        ticket = {"min_count": count, "max_count": count, "query": "*", "string_properties": dict(properties)}
        return str(self._request({"matchmaker_add": ticket})["matchmaker_ticket"]["ticket"])

    def join_token(self, token: str) -> dict[str, Any]:
        """Join with the token of matched tickets instead of a match id.

        Raises:
            NakamaError: The join was rejected.
        """
        return self._request({"match_join": {"token": token}})
