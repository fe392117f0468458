"""The state machine of one game, from the deal to the end, for all modes.

The game reads no clock: the caller passes the time. Each call first processes the timed events up to this
time, each at its own time. After a call, no timed event at or before this time is pending.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, Self

from set_core import timeline
from set_core.board import EMPTY, MIN_SLOTS, CardSlot
from set_core.dealer import Dealer
from set_core.deck import Deck
from set_core.events import (
    BoardExpanded,
    BoardStatus,
    ClaimJudged,
    ClaimRejected,
    Event,
    GameEnded,
    GameStarted,
    PlayerForfeited,
)
from set_core.judging import STALE, VALID, Verdict, apply_penalty, judge, rejection_of
from set_core.options import MatchOptions
from set_core.phase import Phase
from set_core.results import EndReason, make_results
from set_core.state import PlayerState, SessionState
from set_core.view import GameView

RULES_VERSION: Final = 1
"""The version of the rules. Increment it with each change after which a game can have another result.

Such changes are changes to the rules, to the order in which claims are judged, and to default options.
"""


class AlreadyStartedError(RuntimeError):
    """An attempt to start a game that was already started or has ended."""


class GameSession(GameView):
    """One game, from the deal to the end (rules R18 to R35).

    Each method that changes the game returns the new events, in order. Times are match-clock milliseconds. A
    time that is earlier than the time of a previous call is replaced by that time.

    Args:
        options: the options of the match.
        deck: a deck with at least 12 cards; the caller must not use it afterwards.
        seats: the number of players, from 1; seats are numbered from 0.
        bot_seats: the seats of the bots; at least one seat has no bot.

    Raises:
        ValueError: the deck, the number of seats or the seats of the bots are invalid.
    """

    __slots__ = ()

    def __init__(
        self, options: MatchOptions, deck: Deck, seats: int, bot_seats: AbstractSet[int] = frozenset()
    ) -> None:
        _check_players_and_deck(deck, seats, bot_seats)
        players = [PlayerState(bot=seat in bot_seats) for seat in range(seats)]
        state = SessionState(bytes(deck.order), deck.drawn, [EMPTY] * MIN_SLOTS, players)
        super().__init__(options, state, Dealer(deck, state))

    @classmethod
    def restore(cls, options: MatchOptions, state: SessionState) -> Self:
        """Return the game with this state. The game changes the state object; it makes no copy."""
        self = cls.__new__(cls)
        dealer = Dealer(Deck.resume(state.order, state.drawn), state)
        super(GameSession, self).__init__(options, state, dealer)
        return self

    def start(self, now_ms: int) -> list[Event]:
        """Deal twelve cards; if they have no Set, expand immediately (rules R12, R13 and R15).

        Raises:
            AlreadyStartedError: the game was already started or has ended.
        """
        state = self._state
        if self.phase is not Phase.WAITING:
            raise AlreadyStartedError(f"the game is in {self.phase}: only a game in WAITING can be started")
        state.started_ms = state.locked_until_ms = state.seen_ms = max(now_ms, state.seen_ms)
        started = GameStarted(self._dealer.deal(), **self._board_status())
        return [started, *self._check_sets(), *self.advance(now_ms)]

    def advance(self, now_ms: int) -> list[Event]:
        """Process the timed events up to this time, in order; the end of a clock is before an expansion."""
        state = self._state
        end_ms = max(now_ms, state.seen_ms)
        events: list[Event] = []
        while (event_ms := self.wake_ms) is not None and event_ms <= end_ms:
            state.seen_ms = event_ms
            events += self._finish(EndReason.TIME_UP) if event_ms == self.closing_ms else self._expand()
        state.seen_ms = end_ms
        return events

    def claim(self, seat: int, card_ids: Sequence[int], now_ms: int) -> list[Event]:
        """Judge whether three cards are a Set (rules R20 to R25).

        A valid claim removes the cards from the board and immediately refills their slots. An invalid claim
        has the penalty of the options. A rejected claim has no effect.

        Raises:
            ValueError: the game has no such seat.
        """
        player = self._player(seat)
        events = self.advance(now_ms)
        rejection = rejection_of(self._state, player, card_ids)
        if rejection is not None:
            return [*events, ClaimRejected(seat, rejection)]
        verdict = judge(self._dealer.board, card_ids)
        apply = self._apply_valid if verdict is VALID else self._apply_invalid
        return [*events, *apply(seat, tuple(card_ids), verdict), *self.advance(now_ms)]

    def forfeit(self, seats: Iterable[int], now_ms: int) -> list[Event]:
        """Forfeit for one or more players at the same time.

        Players who have already forfeited are skipped; after the end there is no effect. The game ends as
        ABANDONED if no person is left, and as LAST_PLAYER_STANDING if one player of several is left (rules
        R34 and R35).

        Raises:
            ValueError: the game has no such seat; the game is unchanged.
        """
        leaving = {seat: self._player(seat) for seat in seats}
        events = self.advance(now_ms)
        if self._state.end_reason:
            return events
        for seat, player in leaving.items():
            if not player.forfeited:
                player.forfeited = True
                events.append(PlayerForfeited(seat))
        end_reason = self.end_without()
        return events if end_reason is None else events + self._finish(end_reason)

    def end(self, reason: EndReason, now_ms: int) -> list[Event]:
        """End the game for an external reason; no effect if the game is over."""
        events = self.advance(now_ms)
        return events if self._state.end_reason else events + self._finish(reason)

    def _expand(self) -> list[Event]:
        slots = self._dealer.expand()
        timeline.lock_for_expansion(self._options, self._state)
        return [BoardExpanded(slots, **self._board_status()), *self._check_sets()]

    def _apply_valid(self, seat: int, card_ids: tuple[int, ...], verdict: Verdict) -> list[Event]:
        player = self._state.players[seat]
        player.score += 1
        player.sets_collected += 1
        slots = self._dealer.replace(card_ids)
        timeline.lock_for_valid_set(self._options, self._state, player)
        return [self._judged(seat, card_ids, verdict, 1, slots), *self._check_sets()]

    def _apply_invalid(self, seat: int, card_ids: tuple[int, ...], verdict: Verdict) -> list[Event]:
        player = self._state.players[seat]
        is_penalized = verdict is not STALE or self._options.penalize_stale_claims
        delta = apply_penalty(self._options, player) if is_penalized else 0
        timeline.lock_claimant(self._state, player, self._options.animation_ms.invalid_set)
        return [self._judged(seat, card_ids, verdict, delta, ()), *self._check_clocks()]

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
            **self._board_status(),
        )

    def _board_status(self) -> BoardStatus:
        return {
            "board_version": self._state.board_version,
            "cards_remaining": self._dealer.deck.cards_remaining,
            "phase": self.phase,
            "locked_until_ms": self._state.locked_until_ms,
        }

    def _check_sets(self) -> list[Event]:
        """Schedule an expansion or end the game if the board has no Set (rules R13, R15, R29 and R30)."""
        self._state.expansion_due = False
        if self._dealer.has_set:
            return []
        reason = self._dealer.expansion_obstacle
        if reason is not None:
            return self._finish(reason)
        self._state.expansion_due = True
        return []

    def _check_clocks(self) -> list[Event]:
        closing_ms = self.closing_ms
        has_ended = closing_ms is not None and closing_ms <= self._state.seen_ms
        return self._finish(EndReason.CLOCK_PENALTY) if has_ended else []

    def _finish(self, reason: EndReason) -> list[Event]:
        state = self._state
        state.end_reason = reason
        state.ended_ms = state.seen_ms
        state.expansion_due = False
        return [GameEnded(make_results(reason, self._options, state))]


def _check_players_and_deck(deck: Deck, seats: int, bot_seats: AbstractSet[int]) -> None:
    if deck.cards_remaining < MIN_SLOTS:
        raise ValueError(f"the deck has {deck.cards_remaining} cards left: at least {MIN_SLOTS} are needed")
    if not bot_seats < set(range(seats)):
        raise ValueError(
            f"bot seats {sorted(bot_seats)} of {seats} seats: at least one seat must be a human's"
        )
