"""A match as lines of text, as it happens."""

from __future__ import annotations

import time
from functools import singledispatchmethod
from typing import TYPE_CHECKING

from demo import messages as wire
from demo.notation import cards
from demo.vocabulary import Change, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROW = 4
WORDS = {Reason.NOT_A_SET: "no Set", Reason.STALE: "too late"}


class Transcript:
    """Says what one player hears; only rejections are for nobody else."""

    def __init__(self, say: Callable[[str], None], *, colored: bool) -> None:
        """Take where to say it, and whether a terminal shows colours."""
        self._say = say
        self._colored = colored
        self._began = time.monotonic()
        self._names: dict[int, str] = {}
        self._scores: dict[int, int] = {}

    @singledispatchmethod
    def hear(self, message: wire.Message) -> None:
        """Say what happened; nothing for what is no news."""

    @hear.register
    def _(self, message: wire.MatchStarted) -> None:
        self._note(message.players)
        dealt = [slot.card_id for slot in message.slots if slot.card_id is not None]
        self._line(
            "deal", f"{' against '.join(self._names.values())}, {message.cards_remaining} cards to come"
        )
        for first in range(0, len(dealt), ROW):
            self._line("", self._cards(dealt[first : first + ROW]))

    @hear.register
    def _(self, message: wire.ClaimResult) -> None:
        self._note([message.player])
        name, claimed = message.player.username, self._cards(message.card_ids)
        if not message.valid:
            self._line(name, f"{claimed}  {WORDS[message.reason]}: {message.message}")
            return
        new = self._cards(slot.card_id for slot in message.slots if slot.card_id is not None)
        self._line(name, f"{claimed}  Set!  {self._score}  {f'new {new}' if new else 'nothing to deal'}")

    @hear.register
    def _(self, message: wire.ClaimRejected) -> None:
        self._line("", f"{message.claim_id}: {message.reason.removeprefix('CLAIM_REASON_')}")

    @hear.register
    def _(self, message: wire.BoardExpanded) -> None:
        new = self._cards(slot.card_id for slot in message.slots if slot.card_id is not None)
        self._line("board", f"no Set, three more: {new}")

    @hear.register
    def _(self, message: wire.PlayerChanged) -> None:
        if message.change != Change.JOINED:
            self._line(message.player.username, message.change.removeprefix("PLAYER_CHANGE_").lower())

    @hear.register
    def _(self, message: wire.ServiceStatus) -> None:
        self._line("referee", "away, the match stands still" if message.paused else "back")

    @hear.register
    def _(self, message: wire.MatchEnded) -> None:
        reason = message.reason.removeprefix("END_REASON_").replace("_", " ").lower()
        self._line("end", f"{reason} after {message.duration_ms / 1000:.1f} s of match time")
        for line in message.standings:
            player = line.player
            made = f"{player.sets_collected} Sets, {player.invalid_attempts} mistakes, score {player.score}"
            self._line("", f"{line.rank}. {player.username}: {made}")

    @property
    def _score(self) -> str:
        return ", ".join(f"{self._names[seat]} {score}" for seat, score in sorted(self._scores.items()))

    def _note(self, players: Iterable[wire.Player]) -> None:
        for player in players:
            self._names[player.seat] = player.username
            self._scores[player.seat] = player.score

    def _cards(self, numbers: Iterable[int]) -> str:
        return cards(numbers, colored=self._colored)

    def _line(self, who: str, what: str) -> None:
        self._say(f"{time.monotonic() - self._began:6.1f} s  {who:<8} {what}")
