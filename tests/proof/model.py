"""A reference model of a game, written from the rule texts and decisions without code of the project.

It favors simplicity over speed. Cards are ids 0..80, times are match-clock milliseconds, seats count from 0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

STAYS_MS = 30_000


def attributes(card: int) -> tuple[int, int, int, int]:
    """Return number, shape, color and shading of a card (rule R2)."""
    return card // 27, card % 27 // 9, card % 9 // 3, card % 3


def first_mixed(cards: Sequence[int]) -> str | None:
    """Return the first attribute that is not all the same or all different (rules R7 and R8)."""
    names = ("NUMBER", "SHAPE", "COLOR", "SHADING")
    for name, values in zip(names, zip(*map(attributes, cards), strict=True), strict=True):
        if len(set(values)) == 2:
            return name
    return None


def sets_among(cards: Iterable[int]) -> list[tuple[int, int, int]]:
    """Return every Set among the cards."""
    return [three for three in combinations(cards, 3) if first_mixed(three) is None]


@dataclass(frozen=True)
class Terms:
    """The choices that the rule texts leave to the options."""

    seats: int
    limit_ms: int | None = None
    penalty: str = "NONE"
    time_penalty_ms: int = 5_000
    penalize_stale: bool = True
    on_arrival: bool = False
    fewest_invalid_wins: bool = False
    window_ms: int = 30_000
    valid_ms: int = 400
    refill_ms: int = 300
    invalid_ms: int = 400
    expand_ms: int = 150


@dataclass
class Seat:
    """One player."""

    score: int = 0
    collected: int = 0
    invalid: int = 0
    forfeited: bool = False
    reconnect_by_ms: int | None = None
    locked_until_ms: int = 0
    penalty_ms: int = 0


@dataclass
class Model:
    """One game; like the server, it knows the deck."""

    terms: Terms
    deck: list[int]
    now_ms: int
    seats: list[Seat] = field(init=False)
    slots: list[int | None] = field(init=False)
    lock: tuple[int, int, str] = (0, 0, "")
    grow_at_ms: int | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        self.started_ms = self.ended_ms = self.now_ms
        self.seats = [Seat() for _ in range(self.terms.seats)]
        self.slots = [self.deck.pop(0) for _ in range(12)]
        self._look_for_sets(self.now_ms)
        self.advance(self.now_ms)

    @property
    def board(self) -> list[int]:
        return [card for card in self.slots if card is not None]

    # Time.

    def advance(self, until_ms: int) -> None:
        """Process all events up to a time; of simultaneous events the clock is first, then the board."""
        while self.reason is None and (due := self._next_due()) is not None and due[0] <= until_ms:
            self.now_ms = due[0]
            if due[1] == 0:
                self._end("TIME_UP")
            elif due[1] == 1:
                self._grow()
            else:
                self.forfeit(
                    s for s in self.seats if s.reconnect_by_ms is not None and s.reconnect_by_ms <= due[0]
                )
        self.now_ms = max(self.now_ms, until_ms)

    def _next_due(self) -> tuple[int, int] | None:
        times = [
            (self.closing_ms, 0),
            (self.grow_at_ms, 1),
            *((seat.reconnect_by_ms, 2) for seat in self.seats),
        ]
        return min(((ms, kind) for ms, kind in times if ms is not None), default=None)

    @property
    def closing_ms(self) -> int | None:
        """Return the time at which the first clock reaches 0 (decision D7), or None after the end."""
        if self.terms.limit_ms is None or self.reason is not None:
            return None
        playing = [seat.penalty_ms for seat in self.seats if not seat.forfeited]
        return self.started_ms + self.terms.limit_ms - max(playing)

    @property
    def closed(self) -> bool:
        """Return whether the match is closed: immediately after an abort, otherwise after 30 seconds."""
        if self.reason in {"ABANDONED", "TERMINATED"}:
            return True
        return self.reason is not None and self.now_ms >= self.ended_ms + STAYS_MS

    def clock_ms(self, seat: Seat) -> int | None:
        """Return the remaining time of a player."""
        if self.terms.limit_ms is None:
            return None
        until_ms = self.now_ms if self.reason is None else self.ended_ms
        return max(0, self.terms.limit_ms - (until_ms - self.started_ms) - seat.penalty_ms)

    @property
    def phase(self) -> str:
        _, end_ms, kind = self.lock
        if self.reason is not None:
            return "MATCH_END"
        if self.now_ms >= end_ms:
            return "BOARD_IDLE"
        if kind == "expand":
            return "EXPAND_BOARD"
        return "VALID_SET_ANIM" if self.now_ms < end_ms - self.terms.refill_ms else "REFILL_ANIM"

    # The board.

    def _look_for_sets(self, free_at_ms: int) -> None:
        """After a change continue, expand when the lock ends, or end (rule R15)."""
        self.grow_at_ms = None
        if sets_among(self.board):
            return
        if len(self.deck) < 3:
            self._end("DECK_EXHAUSTED")
        elif len(self.slots) >= 21:
            self._end("NO_SET_ON_FULL_BOARD")
        else:
            self.grow_at_ms = free_at_ms

    def _grow(self) -> None:
        self.slots += [self.deck.pop(0) for _ in range(3)]
        self.lock = (self.now_ms - 1, self.now_ms + self.terms.expand_ms, "expand")
        self._look_for_sets(self.lock[1])

    # Claims.

    def claim(self, seat: Seat, cards: Sequence[int], received_ms: int, drained_ms: int) -> str:
        """Judge a claim; return VALID, the reason it is invalid, or the reason it is rejected."""
        self.advance(self.judged_at(received_ms, drained_ms))
        if self.reason is not None:
            return "MATCH_OVER"
        if seat.forfeited:
            return "FORFEITED"
        if len(cards) != 3 or len(set(cards)) != 3 or not all(0 <= card <= 80 for card in cards):
            return "MALFORMED"
        start_ms, end_ms, _ = self.lock
        if start_ms < self.now_ms < end_ms or self.now_ms < seat.locked_until_ms:
            return "LOCKED"
        if not set(cards) <= set(self.board):
            return self._invalid(seat, "STALE", counts=self.terms.penalize_stale)
        mixed = first_mixed(cards)
        return self._valid(seat, cards) if mixed is None else self._invalid(seat, mixed, counts=True)

    def judged_at(self, received_ms: int, drained_ms: int) -> int:
        """Return the time of judgement (decisions D8 and D14).

        On arrival it is the receive time. Otherwise a claim received before a deadline counts after it.
        """
        if self.terms.on_arrival:
            return min(received_ms, drained_ms)
        windows = [seat.reconnect_by_ms for seat in self.seats if self.reason is None]
        ends = [ms for ms in (self.closing_ms, *windows) if ms is not None]
        deadline_ms = min(ends, default=drained_ms + 1)
        return deadline_ms - 1 if received_ms < deadline_ms <= drained_ms else drained_ms

    def _valid(self, seat: Seat, cards: Sequence[int]) -> str:
        seat.score += 1
        seat.collected += 1
        places = sorted(self.slots.index(card) for card in cards)
        refill = [self.deck.pop(0) for _ in range(3)] if len(self.deck) >= 3 else [None] * 3
        for place, card in zip(places, refill, strict=True):
            self.slots[place] = card
        # Others may still claim in this tick, but not on arrival (decisions D4 and D14).
        start_ms = self.now_ms - 1 if self.terms.on_arrival else self.now_ms
        self.lock = (start_ms, self.now_ms + self.terms.valid_ms + self.terms.refill_ms, "valid")
        seat.locked_until_ms = self.now_ms + 1
        self._look_for_sets(self.lock[1])
        return "VALID"

    def _invalid(self, seat: Seat, why: str, *, counts: bool) -> str:
        seat.locked_until_ms = self.now_ms + max(self.terms.invalid_ms, 1)
        if counts:
            seat.invalid += 1
            if self.terms.penalty == "POINT":
                seat.score = max(0, seat.score - 1)
            if self.terms.penalty == "TIME":
                seat.penalty_ms += self.terms.time_penalty_ms
                if self.clock_ms(seat) == 0:
                    self._end("CLOCK_PENALTY")
        return why

    # Players.

    def lose(self, seat: Seat) -> None:
        """Process a lost connection (decision D11)."""
        if seat.forfeited:
            return
        if not self.terms.window_ms:
            self.forfeit([seat])
        else:
            seat.reconnect_by_ms = self.now_ms + self.terms.window_ms

    def forfeit(self, leaving: Iterable[Seat]) -> None:
        """Forfeit players (rules R33 to R35)."""
        for seat in [*leaving]:
            seat.forfeited, seat.reconnect_by_ms = True, None
        left = [seat for seat in self.seats if not seat.forfeited]
        if not left:
            self._end("ABANDONED")
        elif len(left) == 1 < len(self.seats):
            self._end("LAST_PLAYER_STANDING")

    def _end(self, reason: str) -> None:
        self.reason, self.ended_ms = reason, self.now_ms

    # The result.

    def ranks(self) -> list[int]:
        """Return the rank of each seat (decision D6)."""
        keys = [self._merit(seat) for seat in self.seats]
        return [1 + sum(other > key for other in keys) for key in keys]

    def _merit(self, seat: Seat) -> tuple[bool, int, int]:
        return (
            not seat.forfeited,
            seat.collected,
            -seat.invalid if self.terms.fewest_invalid_wins else 0,
        )

    @property
    def winners(self) -> list[int]:
        """Return the seats with the first rank; an aborted game has none."""
        if self.reason in {"ABANDONED", "TERMINATED"}:
            return []
        ranked = enumerate(zip(self.ranks(), self.seats, strict=True))
        return [number for number, (rank, seat) in ranked if rank == 1 and not seat.forfeited]
