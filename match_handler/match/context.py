"""What one call works on: the match's state, its running game, the clock and the outbox."""

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
    """The UTC date at a time of day, in milliseconds since 1970."""
    return datetime.fromtimestamp(unix_ms / 1000, UTC).date()


def user_places(options: MatchOptions) -> int:
    """How many users can take a seat: one user holds every seat in pass & play."""
    return 1 if options.mode is Mode.PASS_AND_PLAY else options.human_seats


class Moment(NamedTuple):
    """The time of a call."""

    match_ms: int
    """On the match clock, in milliseconds since MatchInit without outages."""
    unix_ms: int
    """The time of day, in milliseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Presence:
    """One connection of one user."""

    user_id: str
    session_id: str
    username: str


@dataclass(slots=True)
class Table:
    """A match during a call."""

    match_id: str
    state: MatchState
    options: MatchOptions
    session: GameSession | None
    now_ms: int
    """The match clock: moves from the last time that the game has reached to that of the call."""
    call: Moment
    out: Outbox = field(default_factory=Outbox)

    @classmethod
    def of(cls, match_id: str, state: MatchState, call: Moment) -> "Table":
        """The table of a decoded state, at the last time that its game has reached."""
        options = options_of(state.options)
        if state.session is None:
            return cls(match_id, state, options, session=None, now_ms=0, call=call)
        session = GameSession.restore(options, state.session)
        return cls(match_id, state, options, session, state.session.seen_ms, call)

    @property
    def phase(self) -> Phase:
        """Where the match stands; WAITING before the first deal."""
        return Phase.WAITING if self.session is None else self.session.phase

    @property
    def game_over(self) -> bool:
        """Whether a game has ended and no other has begun."""
        return self.session is not None and bool(self.session.state.end_reason)

    @property
    def playing(self) -> bool:
        """Whether a game is running."""
        session = self.session
        return session is not None and session.state.is_running

    @property
    def user_places(self) -> int:
        """How many users can take a seat."""
        return user_places(self.options)

    @property
    def seated_users(self) -> int:
        """How many users hold a seat."""
        return len({seat.user_id for seat in self.state.seats if seat.bot_level is None})

    @property
    def free_places(self) -> int:
        """Places that are neither taken nor reserved."""
        reserved = {
            reservation.user_id
            for reservation in self.state.reservations
            if not reservation.watching and self.seat_of_user(reservation.user_id) is None
        }
        return self.user_places - self.seated_users - len(reserved)

    @property
    def unix_ms(self) -> int:
        """The time of day, in milliseconds since 1970."""
        return self.call.unix_ms - (self.call.match_ms - self.now_ms)

    @property
    def today(self) -> date:
        """The UTC date now."""
        return utc_date(self.unix_ms)

    @property
    def date(self) -> date:
        """The UTC date of the match: that of its MatchInit, whenever its games are played (D12)."""
        return utc_date(self.state.started_unix_ms)

    @property
    def invitation(self) -> str:
        """What a join attempt to a private match must carry; empty for a public match."""
        if not self.options.private:
            return ""
        return blake2b(b"invitation", key=self.state.secret, digest_size=16).hexdigest()

    @property
    def record_key(self) -> str:
        """The storage key of the current game's record; empty for a game in which nothing was claimed.

        It begins with the date, by which old records are found. The rest is 128 bits that nobody can guess.
        """
        session, state = self.session, self.state
        if session is None or not any(seat.claims_judged for seat in state.seats):
            return ""
        day = utc_date(state.started_unix_ms + session.state.started_ms)
        secret = blake2b(state.game.to_bytes(4), key=state.secret, digest_size=16).hexdigest()
        return f"{day:%Y%m%d}.{secret}"

    def seat_of_user(self, user_id: str) -> int | None:
        """The first seat of a user."""
        seats = enumerate(self.state.seats)
        return next((i for i, seat in seats if seat.bot_level is None and seat.user_id == user_id), None)

    def seats_of_user(self, user_id: str) -> list[int]:
        """All seats of a user."""
        seats = enumerate(self.state.seats)
        return [i for i, seat in seats if seat.bot_level is None and seat.user_id == user_id]

    def seats_of_session(self, session_id: str) -> list[int]:
        """The seats that a connection plays."""
        return [i for i, seat in enumerate(self.state.seats) if seat.session_id == session_id]

    def connection(self, session_id: str) -> Connection | None:
        """A connection of the match."""
        for connection in self.state.connections:
            if connection.session_id == session_id:
                return connection
        return None

    def connected_humans(self) -> list[Seat]:
        """The seats that somebody is playing right now."""
        return [seat for seat in self.state.seats if seat.session_id is not None]

    def has_forfeited(self, index: int) -> bool:
        """Whether the player of a seat is out of the current game."""
        return self.session is not None and self.session.players[index].forfeited

    def next_seq(self) -> int:
        """The number of the next message to all."""
        self.state.seq += 1
        return self.state.seq
