"""One game of SET from the deal to the end: the state machine that every mode runs.

Nothing here reads a clock. Every call is told the time and first lets happen, at its exact time, what was due
until then; so after any call nothing is due at or before the time it was told.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Self

from set_core import timeline
from set_core.board import EMPTY, MIN_SLOTS, CardSlot
from set_core.deck import Deck
from set_core.events import (
    BoardExpanded,
    BoardStanding,
    ClaimJudged,
    ClaimRefused,
    Event,
    GameEnded,
    GameStarted,
    PlayerForfeited,
)
from set_core.judging import STALE, VALID, Verdict, judge, penalise, refusal_of
from set_core.options import MatchOptions
from set_core.phase import Phase
from set_core.results import EndReason, ranked
from set_core.state import PlayerState, SessionState
from set_core.table import Table
from set_core.view import GameView

RULES_VERSION: Final = 1
"""The version of the rules. It rises with every change after which some game would end differently.

Such changes are those to the rules themselves, to the order in which claims are judged, and to the default
of an option.
"""


class AlreadyStartedError(RuntimeError):
    """A game was to be started that was started or ended before."""


class GameSession(GameView):
    """One game, from the deal to the end (rules, "Game flow").

    Every method that moves the game returns the events since the last call, in order. Times are match-clock
    milliseconds; one that lies before an earlier one counts as that.

    Args:
        options: how the game is played.
        deck: at least 12 cards; belongs to the game from now on.
        seats: how many players there are, from 1; they are numbered from 0.
        bot_seats: which of them are bots; at least one seat is not.

    Raises:
        ValueError: seats, bot seats or deck are not like that.
    """

    __slots__ = ()

    def __init__(
        self, options: MatchOptions, deck: Deck, seats: int, bot_seats: AbstractSet[int] = frozenset()
    ) -> None:
        _check_table(deck, seats, bot_seats)
        players = [PlayerState(bot=seat in bot_seats) for seat in range(seats)]
        state = SessionState(bytes(deck.order), deck.drawn, [EMPTY] * MIN_SLOTS, players)
        super().__init__(options, state, Table(deck, state))

    @classmethod
    def restore(cls, options: MatchOptions, state: SessionState) -> Self:
        """The game that had this state; it works on this very object from now on."""
        self = cls.__new__(cls)
        super(GameSession, self).__init__(options, state, Table(Deck.resume(state.order, state.drawn), state))
        return self

    def start(self, now_ms: int) -> list[Event]:
        """Deal twelve cards; with no Set among them expand at once (board and dealing, "Initial Deal").

        Raises:
            AlreadyStartedError: the game was started or ended before.
        """
        state = self._state
        if self.phase is not Phase.WAITING:
            raise AlreadyStartedError(f"the game is in {self.phase}: only a game in WAITING can be started")
        state.started_ms = state.locked_until_ms = state.seen_ms = max(now_ms, state.seen_ms)
        started = GameStarted(self._table.deal(), **self._standing())
        return [started, *self._look_for_sets(), *self.advance(now_ms)]

    def advance(self, now_ms: int) -> list[Event]:
        """Let happen what is due by now, in order of time; of two at once, a clock running out is first."""
        state = self._state
        until = max(now_ms, state.seen_ms)
        events: list[Event] = []
        while (due := self.wake_ms) is not None and due <= until:
            state.seen_ms = due
            events += self._finish(EndReason.TIME_UP) if due == self.closing_ms else self._expand()
        state.seen_ms = until
        return events

    def claim(self, seat: int, card_ids: Sequence[int], now_ms: int) -> list[Event]:
        """Judge whether three cards are a Set (rules, "Claim resolution").

        A valid claim takes the cards off the board and refills their slots at once; an invalid one costs what
        the options say. A claim that is refused has no effect.

        Raises:
            ValueError: no such seat.
        """
        player = self._player(seat)
        events = self.advance(now_ms)
        refusal = refusal_of(self._state, player, card_ids)
        if refusal is not None:
            return [*events, ClaimRefused(seat, refusal)]
        verdict = judge(self._table.board, card_ids)
        judged = self._award if verdict is VALID else self._punish
        return [*events, *judged(seat, tuple(card_ids), verdict), *self.advance(now_ms)]

    def forfeit(self, seats: Iterable[int], now_ms: int) -> list[Event]:
        """Put players out for good, all at once; whoever is out already, or after the end, is passed over.

        No human left ends the game as ABANDONED, one player of several as LAST_PLAYER_STANDING (rules,
        "Disconnects and forfeits").

        Raises:
            ValueError: no such seat; nothing has changed.
        """
        leaving = {seat: self._player(seat) for seat in seats}
        events = self.advance(now_ms)
        if self._state.end_reason:
            return events
        for seat, player in leaving.items():
            if not player.forfeited:
                player.forfeited = True
                events.append(PlayerForfeited(seat))
        return events + self._look_for_players()

    def end(self, reason: EndReason, now_ms: int) -> list[Event]:
        """End the game from outside; nothing happens if it is over."""
        events = self.advance(now_ms)
        return events if self._state.end_reason else events + self._finish(reason)

    def _expand(self) -> list[Event]:
        slots = self._table.expand()
        timeline.lock_for_expansion(self._options, self._state)
        return [BoardExpanded(slots, **self._standing()), *self._look_for_sets()]

    def _award(self, seat: int, card_ids: tuple[int, ...], verdict: Verdict) -> list[Event]:
        player = self._state.players[seat]
        player.score += 1
        player.sets_collected += 1
        slots = self._table.replace(card_ids)
        timeline.lock_for_valid_set(self._options, self._state, player)
        return [self._judged(seat, card_ids, verdict, 1, slots), *self._look_for_sets()]

    def _punish(self, seat: int, card_ids: tuple[int, ...], verdict: Verdict) -> list[Event]:
        player = self._state.players[seat]
        counts = verdict is not STALE or self._options.penalize_stale_claims
        delta = penalise(self._options, player) if counts else 0
        timeline.lock_claimant(self._state, player, self._options.animation_ms.invalid_set)
        return [self._judged(seat, card_ids, verdict, delta, ()), *self._look_at_clocks()]

    def _judged(
        self, seat: int, card_ids: tuple[int, ...], verdict: Verdict, delta: int, slots: tuple[CardSlot, ...]
    ) -> ClaimJudged:
        return ClaimJudged(
            seat=seat,
            card_ids=card_ids,
            is_valid=verdict is VALID,
            reason=verdict.reason,
            mixed_attribute=verdict.mixed_attribute,
            message=verdict.message,
            score_delta=delta,
            slots=slots,
            **self._standing(),
        )

    def _standing(self) -> BoardStanding:
        return {
            "board_version": self._state.board_version,
            "cards_remaining": self._table.deck.cards_remaining,
            "phase": self.phase,
            "locked_until_ms": self._state.locked_until_ms,
        }

    def _look_for_sets(self) -> list[Event]:
        """After every change of the board: go on, grow when the lock ends, or end (rules, "Expansion")."""
        self._state.expansion_due = False
        if self._table.has_set:
            return []
        reason = self._table.dead_end
        if reason is not None:
            return self._finish(reason)
        self._state.expansion_due = True
        return []

    def _look_at_clocks(self) -> list[Event]:
        closing = self.closing_ms
        spent = closing is not None and closing <= self._state.seen_ms
        return self._finish(EndReason.CLOCK_PENALTY) if spent else []

    def _look_for_players(self) -> list[Event]:
        left = [player for player in self._state.players if not player.forfeited]
        if all(player.bot for player in left):
            return self._finish(EndReason.ABANDONED)
        if len(left) == 1 < len(self._state.players):
            return self._finish(EndReason.LAST_PLAYER_STANDING)
        return []

    def _finish(self, reason: EndReason) -> list[Event]:
        state = self._state
        state.end_reason = reason
        state.ended_ms = state.seen_ms
        state.expansion_due = False
        return [GameEnded(ranked(reason, self._options, state))]


def _check_table(deck: Deck, seats: int, bot_seats: AbstractSet[int]) -> None:
    if deck.cards_remaining < MIN_SLOTS:
        raise ValueError(f"the deck has {deck.cards_remaining} cards left: at least {MIN_SLOTS} are needed")
    if not bot_seats < set(range(seats)):
        raise ValueError(
            f"bot seats {sorted(bot_seats)} of {seats} seats: one seat at least must be a human's"
        )
