"""Transcript of a match as lines of text."""

from __future__ import annotations

import time
from functools import singledispatchmethod
from typing import TYPE_CHECKING

from demo.client import messages as wire
from demo.client.notation import cards
from demo.client.vocabulary import Change, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROW = 4
WORDS = {Reason.NOT_A_SET: "no Set", Reason.STALE: "too late"}


class Transcript:
    """Writes one line for each message of a match that one client receives."""

    def __init__(self, write_line: Callable[[str], None], *, colored: bool) -> None:
        """Create a transcript; `write_line` receives the lines, with ANSI colors if `colored`."""
        self._write_line = write_line
        self._colored = colored
        self._began = time.monotonic()
        self._names: dict[int, str] = {}
        self._scores: dict[int, int] = {}

    @singledispatchmethod
    def write(self, message: wire.Message) -> None:
        """Write the lines of a message; none for messages without an event."""

    @write.register
    def _(self, message: wire.MatchStarted) -> None:
        self._update(message.players)
        dealt = [slot.card_id for slot in message.slots if slot.card_id is not None]
        self._line(
            "deal", f"{' against '.join(self._names.values())}, {message.cards_remaining} cards to come"
        )
        for first in range(0, len(dealt), ROW):
            self._line("", self._cards(dealt[first : first + ROW]))

    @write.register
    def _(self, message: wire.ClaimResult) -> None:
        self._update([message.player])
        name, claimed = message.player.username, self._cards(message.card_ids)
        if not message.valid:
            self._line(name, f"{claimed}  {WORDS[message.reason]}: {message.message}")
            return
        new = self._cards(slot.card_id for slot in message.slots if slot.card_id is not None)
        self._line(name, f"{claimed}  Set!  {self._score}  {f'new {new}' if new else 'nothing to deal'}")

    @write.register
    def _(self, message: wire.ClaimRejected) -> None:
        self._line("", f"{message.claim_id}: {message.reason.removeprefix('CLAIM_REASON_')}")

    @write.register
    def _(self, message: wire.BoardExpanded) -> None:
        new = self._cards(slot.card_id for slot in message.slots if slot.card_id is not None)
        self._line("board", f"no Set, three more: {new}")

    @write.register
    def _(self, message: wire.PlayerChanged) -> None:
        if message.change != Change.JOINED:
            self._line(message.player.username, message.change.removeprefix("PLAYER_CHANGE_").lower())

    @write.register
    def _(self, message: wire.ServiceStatus) -> None:
        if message.restarting:
            self._line("service", "Nakama restarts, the match continues afterwards")
        else:
            self._line(
                "service", "not available, the match is paused" if message.paused else "available again"
            )

    @write.register
    def _(self, message: wire.MatchEnded) -> None:
        reason = message.reason.removeprefix("END_REASON_").replace("_", " ").lower()
        self._line("end", f"{reason} after {message.duration_ms / 1000:.1f} s of match time")
        for line in message.standings:
            player = line.player
            summary = (
                f"{player.sets_collected} Sets, {player.invalid_attempts} mistakes, score {player.score}"
            )
            self._line("", f"{line.rank}. {player.username}: {summary}")

    @property
    def _score(self) -> str:
        return ", ".join(f"{self._names[seat]} {score}" for seat, score in sorted(self._scores.items()))

    def _update(self, players: Iterable[wire.Player]) -> None:
        for player in players:
            self._names[player.seat] = player.username
            self._scores[player.seat] = player.score

    def _cards(self, card_ids: Iterable[int]) -> str:
        return cards(card_ids, colored=self._colored)

    def _line(self, name: str, text: str) -> None:
        self._write_line(f"{time.monotonic() - self._began:6.1f} s  {name:<8} {text}")
