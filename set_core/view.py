"""What can be read of a game: its state, and all that follows from it and the options."""

from collections.abc import Sequence
from typing import Final

from set_core import timeline
from set_core.board import Board
from set_core.cards import ALL_CARDS, Card
from set_core.deck import Deck
from set_core.options import MatchOptions
from set_core.phase import Phase
from set_core.results import EndReason, Results, ranked
from set_core.state import PlayerState, SessionState
from set_core.table import Table
from set_core.validator import SetValidator

_VALIDATOR: Final = SetValidator()


class GameView:
    """One game, to look at. Times are match-clock milliseconds.

    Args:
        options: how the game is played.
        state: the game.
        table: its cards; works on the same state.
    """

    __slots__ = ("_options", "_state", "_table")

    def __init__(self, options: MatchOptions, state: SessionState, table: Table) -> None:
        self._options = options
        self._state = state
        self._table = table

    @property
    def state(self) -> SessionState:
        """The whole game as plain values. It is the live object, not a copy: the next call changes it."""
        return self._state

    @property
    def options(self) -> MatchOptions:
        """How the game is played."""
        return self._options

    @property
    def board(self) -> Board:
        """The board, to look at."""
        return self._table.board

    @property
    def deck(self) -> Deck:
        """The deck, to look at; its order is secret until the end."""
        return self._table.deck

    @property
    def players(self) -> Sequence[PlayerState]:
        """The players by seat, to look at."""
        return self._state.players

    @property
    def phase(self) -> Phase:
        """Where the game stands at the latest time it was told."""
        return timeline.phase_of(self._state)

    @property
    def board_version(self) -> int:
        """Rises by one with every change of the board; 0 before the deal."""
        return self._state.board_version

    @property
    def locked_until_ms(self) -> int:
        """Until when everybody's claims are locked; not in the future if they are not."""
        return self._state.locked_until_ms

    @property
    def started_ms(self) -> int | None:
        """When the cards were dealt; None before."""
        return self._state.started_ms if self._state.is_started else None

    @property
    def results(self) -> Results | None:
        """How the game ended; None before."""
        reason = self._state.end_reason
        return ranked(EndReason(reason), self._options, self._state) if reason else None

    @property
    def closing_ms(self) -> int | None:
        """When the clocks end the game (decision D7); None without a limit or a running game."""
        return timeline.closing_ms(self._options, self._state)

    @property
    def wake_ms(self) -> int | None:
        """When `advance` would next return an event; None if never. Phases that only pass do not count."""
        return timeline.wake_ms(self._options, self._state)

    @property
    def deadline_ms(self) -> int | None:
        """When `advance` would next change anything, phases included; None if never."""
        return timeline.deadline_ms(self._options, self._state)

    def time_remaining_ms(self, now_ms: int) -> int | None:
        """What is left of the time limit, never below 0; None without one."""
        return timeline.remaining_ms(self._options, self._state, now_ms)

    def player_time_remaining_ms(self, seat: int, now_ms: int) -> int | None:
        """What is left of this player's own clock, penalties taken off, at least 0; None without a limit.

        Raises:
            ValueError: no such seat.
        """
        return timeline.remaining_ms(self._options, self._state, now_ms, self._player(seat).penalty_ms)

    def has_spent_clock(self, seat: int) -> bool:
        """Whether time penalties have used up this player's clock.

        Raises:
            ValueError: no such seat.
        """
        return self.player_time_remaining_ms(seat, self._state.seen_ms) == 0

    def hint(self) -> tuple[Card, Card, Card] | None:
        """The first Set on the board; None if there is none, or no running game."""
        if not self._state.is_running:
            return None
        found = _VALIDATOR.find_all_sets([ALL_CARDS[card] for card in self._table.board.card_ids])
        return found[0] if found else None

    def _player(self, seat: int) -> PlayerState:
        if not 0 <= seat < len(self._state.players):
            raise ValueError(f"there is no seat {seat}: allowed are 0..{len(self._state.players) - 1}")
        return self._state.players[seat]
