"""A match: Nakama's callbacks as functions of a state (DESIGN sections 4 and 7).

Every call takes the state's bytes and the time and returns a `Step`; nothing is kept in between.
"""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from match_handler.match import admission, seating, starting, timing, views
from match_handler.match.context import Moment, Presence, Table, user_places
from match_handler.match.inputs import Input
from match_handler.match.label import label
from match_handler.match.results import SHORTEST_RANKED_MS
from match_handler.match.seating import Leave
from match_handler.match.state import (
    MatchState,
    OtherVersionError,
    Reservation,
    StateError,
    decode_state,
    encode_state,
)
from match_handler.match.step import Step
from match_handler.protocol.options import stored_form
from set_core.option_errors import OptionsError
from set_core.options import MatchOptions

IDLE_MS: Final = 3_600_000
"""After how long without any message of a player a match ends, unless the operator sets another time."""


class Match:
    """A match during a call."""

    def __init__(self, table: Table) -> None:
        self._table = table

    @classmethod
    def create(  # noqa: PLR0913 - what MatchInit brings
        cls,
        match_id: str,
        options: MatchOptions,
        unix_ms: int,
        entropy: bytes,
        expected: Sequence[Presence],
        *,
        creator_id: str = "",
        idle_ms: int = IDLE_MS,
        ranked_ms: int = SHORTEST_RANKED_MS,
    ) -> "Match":
        """MatchInit: a match without connections.

        Args:
            match_id: Nakama's id of the match.
            options: how it is played.
            unix_ms: the time of day, in milliseconds since 1970: the date of the daily challenge (D12).
            entropy: 24 random bytes, from which bots draw and the keys of records are made.
            expected: users for whom a seat is reserved from the start: for 15 seconds for the creator, who
                is about to join, until the fill deadline for others.
            creator_id: the user who may kick before the start; empty: nobody.
            idle_ms: after how long without any message of a player the match ends; 0: never.
            ranked_ms: how long a game must last for its win to count.

        Raises:
            OptionsError: more users are expected than can take a seat.
        """
        users = {user.user_id: user.username for user in expected}
        if len(users) > user_places(options):
            raise OptionsError(
                "maxPlayers",
                f"maxPlayers is {options.max_players}: {len(users)} users are expected, "
                f"only {user_places(options)} can take a seat",
            )
        fill_ms = starting.fill_ms(options)
        reservations = [
            Reservation(user_id, name, 0, admission.RESERVATION_MS if user_id == creator_id else fill_ms)
            for user_id, name in users.items()
        ]
        state = MatchState(
            options=stored_form(options),
            started_unix_ms=unix_ms,
            fill_deadline_ms=fill_ms,
            idle_ms=idle_ms,
            ranked_ms=ranked_ms,
            chance=int.from_bytes(entropy[:8]),
            secret=entropy[8:],
            creator_id=creator_id,
            reservations=reservations,
        )
        return cls(Table.of(match_id, state, Moment(0, unix_ms)))

    @classmethod
    def restore(cls, match_id: str, state: bytes, moment: Moment) -> "Match":
        """The match of a state, at the last time that its game has reached.

        Raises:
            OtherVersionError: a state, or options in it, of another version of the service.
            StateError: the bytes are not a state.
        """
        decoded = decode_state(state)
        try:
            return cls(Table.of(match_id, decoded, moment))
        except OptionsError as error:
            raise OtherVersionError("state: has options that this service does not know") from error
        except ValueError as error:
            raise StateError("state: does not describe a match") from error

    @property
    def invitation(self) -> str:
        """What a join attempt to this match must carry; empty for a public match."""
        return self._table.invitation

    def reserve(self, users: Sequence[Presence]) -> str | None:
        """MatchReserve: None if each user has a seat now, reserved or taken; else why not."""
        timing.pass_until_deadline(self._table)
        return admission.reserve(self._table, users)

    def join_attempt(self, presence: Presence, metadata: dict[str, str]) -> str | None:
        """MatchJoinAttempt: None if the connection may join, else the reason shown to the client."""
        timing.pass_until_deadline(self._table)
        return admission.join_attempt(self._table, presence, metadata)

    def join(self, presences: Sequence[Presence]) -> None:
        """MatchJoin, in the order of joining."""
        timing.pass_until_deadline(self._table)
        for presence in presences:
            seating.join(self._table, presence)

    def loop(self, inputs: Sequence[Input], leaves: Sequence[Leave], skipped: Collection[int] = ()) -> None:
        """MatchLoop: inputs, leaves and all that is due, up to the time of the call.

        Inputs at the positions in `skipped` are answered MALFORMED unseen.

        Raises:
            InputError: handling an input failed; the match is to be restored and run again without it.
        """
        timing.run(self._table, timing.Arrivals(self._table, inputs, leaves, skipped))

    def terminate(self) -> None:
        """MatchTerminate: ends the game as TERMINATED and closes the match."""
        timing.pass_all(self._table)
        timing.cut_off(self._table)

    def signal(self, data: str) -> bytes:
        """MatchSignal: `snapshot` returns what a spectator sees, `close` ends the match; JSON either way."""
        if data == "close":
            self.terminate()
            return msgspec.json.encode({"closed": True})
        timing.pass_until_deadline(self._table)
        if data == "snapshot":
            return msgspec.json.encode(views.snapshot_view(self._table, []))
        return msgspec.json.encode({"error": f"cmd: {data[:40]!r} is not known; allowed: snapshot, close"})

    def step(self) -> Step:
        """The outcome: the new state and the effects of the call."""
        table = self._table
        state, out = table.state, table.out
        new_label = label(table)
        changed = new_label != state.label
        state.label = new_label
        state.session = None if table.session is None else table.session.state
        return Step(
            state=encode_state(state),
            broadcasts=out.broadcasts,
            label=new_label if changed else None,
            kicks=out.kicks,
            end=state.closed,
            wake_at_ms=timing.wake_at_ms(table),
            log=out.log,
            new_record=out.new_record,
            effects=out.effects,
            outcomes=out.outcomes,
            ended=out.ended,
        )
