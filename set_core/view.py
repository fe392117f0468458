"""Read access to a game: its state, and values computed from state and options."""

from collections.abc import Collection, Sequence
from typing import Final

from set_core import timeline
from set_core.board import Board
from set_core.cards import ALL_CARDS, Card
from set_core.dealer import Dealer
from set_core.deck import Deck
from set_core.options import MatchOptions
from set_core.phase import Phase
from set_core.results import EndReason, Results, make_results
from set_core.state import PlayerState, SessionState
from set_core.validator import SetValidator

_VALIDATOR: Final = SetValidator()


class GameView:
    """Read-only view of one game. Times are match-clock milliseconds.

    Args:
        options: the options of the match.
        state: the state of the game.
        dealer: deck and board of the game, with the same state.
    """

    __slots__ = ("_dealer", "_options", "_state")

    def __init__(self, options: MatchOptions, state: SessionState, dealer: Dealer) -> None:
        self._options = options
        self._state = state
        self._dealer = dealer

    @property
    def state(self) -> SessionState:
        """The state of the game as plain values. It is not a copy: later calls change it."""
        return self._state

    @property
    def options(self) -> MatchOptions:
        """The options of the match."""
        return self._options

    @property
    def board(self) -> Board:
        """The board; do not change it."""
        return self._dealer.board

    @property
    def deck(self) -> Deck:
        """The deck; do not change it. Its order is secret until the end."""
        return self._dealer.deck

    @property
    def players(self) -> Sequence[PlayerState]:
        """The players by seat; do not change them."""
        return self._state.players

    @property
    def phase(self) -> Phase:
        """The phase at the current time of the game."""
        return timeline.phase_of(self._state)

    @property
    def board_version(self) -> int:
        """The number of changes of the board; 0 before the deal."""
        return self._state.board_version

    @property
    def locked_until_ms(self) -> int:
        """The end of the lock for all players; not in the future if there is no lock."""
        return self._state.locked_until_ms

    @property
    def started_ms(self) -> int | None:
        """The time of the deal; None before the deal."""
        return self._state.started_ms if self._state.is_started else None

    @property
    def results(self) -> Results | None:
        """The result of the game; None before the end."""
        reason = self._state.end_reason
        return make_results(EndReason(reason), self._options, self._state) if reason else None

    @property
    def closing_ms(self) -> int | None:
        """When the first clock runs out (decision D7); None without a time limit or a running game."""
        return timeline.closing_ms(self._options, self._state)

    @property
    def wake_ms(self) -> int | None:
        """The time of the next event that `advance` will return; None if there is none."""
        return timeline.wake_ms(self._options, self._state)

    @property
    def deadline_ms(self) -> int | None:
        """The time of the next event or change of phase; None if there is none."""
        return timeline.deadline_ms(self._options, self._state)

    def time_remaining_ms(self, now_ms: int) -> int | None:
        """Return the rest of the time limit, at least 0; None without a time limit."""
        return timeline.remaining_ms(self._options, self._state, now_ms)

    def player_time_remaining_ms(self, seat: int, now_ms: int) -> int | None:
        """Return the rest of a player's own clock after penalties, at least 0; None without a time limit.

        Raises:
            ValueError: the game has no such seat.
        """
        return timeline.remaining_ms(self._options, self._state, now_ms, self._player(seat).penalty_ms)

    def has_spent_clock(self, seat: int) -> bool:
        """Return whether a player's own clock has run out.

        Raises:
            ValueError: the game has no such seat.
        """
        return self.player_time_remaining_ms(seat, self._state.seen_ms) == 0

    def end_without(self, seats: Collection[int] = ()) -> EndReason | None:
        """Return why the game ends without the players in these seats; None if it continues (rule R35).

        Players who have forfeited are not counted either.
        """
        players = self._state.players
        remaining = [
            player for seat, player in enumerate(players) if not player.forfeited and seat not in seats
        ]
        if all(player.bot for player in remaining):
            return EndReason.ABANDONED
        return EndReason.LAST_PLAYER_STANDING if len(remaining) == 1 < len(players) else None

    def hint(self) -> tuple[Card, Card, Card] | None:
        """Return the first Set on the board; None without a Set or a running game."""
        if not self._state.is_running:
            return None
        sets = _VALIDATOR.find_all_sets([ALL_CARDS[card] for card in self._dealer.board.card_ids])
        return sets[0] if sets else None

    def _player(self, seat: int) -> PlayerState:
        if not 0 <= seat < len(self._state.players):
            raise ValueError(f"there is no seat {seat}: allowed are 0..{len(self._state.players) - 1}")
        return self._state.players[seat]
