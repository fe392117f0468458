"""Context of one call on a match: its state, the running game, the time of the call and the outbox.

`MatchContext` is created from the state's bytes at the beginning of a call and dropped at its end. The other
modules of this package read and change it; only its `state` and its `out` leave the call, as a `Step`.
"""

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from hashlib import blake2b
from typing import Final, NamedTuple

from match_handler.match.state import Connection, MatchState, Seat
from match_handler.match.step import Outbox
from match_handler.protocol.options import options_of
from set_core.options import MatchOptions, Mode
from set_core.phase import Phase
from set_core.session import GameSession

DAY_MS: Final = 86_400_000
"""One day in milliseconds."""


def utc_date(unix_ms: int) -> date:
    """Return the UTC date of a time in milliseconds since 1970."""
    return datetime.fromtimestamp(unix_ms / 1000, UTC).date()


def max_users(options: MatchOptions) -> int:
    """Return how many users can have a seat; in pass & play one user has all seats."""
    return 1 if options.mode is Mode.PASS_AND_PLAY else options.human_seats


class Moment(NamedTuple):
    """The time of a call."""

    match_ms: int
    """Match clock: milliseconds since MatchInit, without outages."""
    unix_ms: int
    """Time of day: milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Presence:
    """A connection of a user, as Nakama describes it."""

    user_id: str
    session_id: str
    username: str


@dataclass(slots=True)
class MatchContext:
    """A match during one call."""

    match_id: str
    """Nakama's id of the match."""
    state: MatchState
    """The state; the call changes it."""
    options: MatchOptions
    """The parsed options of the state."""
    session: GameSession | None
    """The current game or the last one; None before the first start."""
    now_ms: int
    """Match clock. During the call it advances from the time of the state to `call.match_ms`."""
    call: Moment
    """The time of the call."""
    out: Outbox = field(default_factory=Outbox)
    """The broadcasts, effects and kicks of the call."""

    @classmethod
    def of(cls, match_id: str, state: MatchState, call: Moment) -> "MatchContext":
        """Create the context for a decoded state, at the time of the state."""
        options = options_of(state.options)
        session = None if state.session is None else GameSession.restore(options, state.session)
        return cls(match_id, state, options, session, state.now_ms, call)

    @property
    def phase(self) -> Phase:
        """The phase of the game; WAITING before the first start."""
        return Phase.WAITING if self.session is None else self.session.phase

    @property
    def game_over(self) -> bool:
        """Whether a game has ended and no rematch has started."""
        return self.session is not None and bool(self.session.state.end_reason)

    @property
    def playing(self) -> bool:
        """Whether a game is running."""
        session = self.session
        return session is not None and session.state.is_running

    @property
    def max_users(self) -> int:
        """How many users can have a seat."""
        return max_users(self.options)

    @property
    def seated_users(self) -> int:
        """How many users have a seat."""
        return len({seat.user_id for seat in self.state.seats if seat.bot_level is None})

    @property
    def vacancies(self) -> int:
        """How many more users can get a seat, without the users who have a seat or a reservation."""
        reserved = {
            reservation.user_id
            for reservation in self.state.reservations
            if not reservation.spectator and self.seat_of_user(reservation.user_id) is None
        }
        return self.max_users - self.seated_users - len(reserved)

    @property
    def unix_ms(self) -> int:
        """The time of day at `now_ms`, in milliseconds since 1970."""
        return self.call.unix_ms - (self.call.match_ms - self.now_ms)

    @property
    def today(self) -> date:
        """The UTC date at `now_ms`."""
        return utc_date(self.unix_ms)

    @property
    def date(self) -> date:
        """The UTC date of MatchInit; it stays the same for all games of the match (D12)."""
        return utc_date(self.state.started_unix_ms)

    @property
    def invitation(self) -> str:
        """The token that a join attempt to a private match must carry; empty for a public match."""
        if not self.options.private:
            return ""
        return blake2b(b"invitation", key=self.state.secret, digest_size=16).hexdigest()

    @property
    def record_key(self) -> str:
        """The storage key of the current game's record; empty if no claim was judged in the game.

        Format: `yyyymmdd.` and 32 hex digits. The date makes old records easy to find; the 128 bits make the
        key impossible to guess.
        """
        session, state = self.session, self.state
        if session is None or not any(seat.claims_judged for seat in state.seats):
            return ""
        day = utc_date(state.started_unix_ms + session.state.started_ms)
        secret = blake2b(state.game.to_bytes(4), key=state.secret, digest_size=16).hexdigest()
        return f"{day:%Y%m%d}.{secret}"

    def seat_of_user(self, user_id: str) -> int | None:
        """Return the first seat of a user; None if the user has no seat."""
        return next(iter(self.seats_of_user(user_id)), None)

    def seats_of_user(self, user_id: str) -> list[int]:
        """Return all seats of a user."""
        seats = enumerate(self.state.seats)
        return [i for i, seat in seats if seat.bot_level is None and seat.user_id == user_id]

    def seats_of_session(self, session_id: str) -> list[int]:
        """Return the seats that a connection plays."""
        return [i for i, seat in enumerate(self.state.seats) if seat.session_id == session_id]

    def connection(self, session_id: str) -> Connection | None:
        """Return a connection by its session id; None if it is not in the match."""
        for connection in self.state.connections:
            if connection.session_id == session_id:
                return connection
        return None

    def connected_seats(self) -> list[Seat]:
        """Return the seats whose player is connected."""
        return [seat for seat in self.state.seats if seat.session_id is not None]

    def has_forfeited(self, index: int) -> bool:
        """Return whether the player of a seat has forfeited the current game."""
        return self.session is not None and self.session.players[index].forfeited

    def next_seq(self) -> int:
        """Increment and return the sequence number of broadcasts to all connections."""
        self.state.seq += 1
        return self.state.seq
