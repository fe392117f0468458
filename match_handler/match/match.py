"""Nakama's match callbacks as functions of the state (DESIGN sections 4 and 7).

Each call restores a `Match` from the state's bytes and returns a `Step` with the new state. Nothing is kept
between two calls.
"""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec

from match_handler.match import admission, seating, starting, timing, views
from match_handler.match.context import MatchContext, Moment, Presence, max_users
from match_handler.match.inputs import Input
from match_handler.match.label import label
from match_handler.match.ordering import order_of
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
"""Default time after which a match without any message of a player ends."""


class Match:
    """A match during one call."""

    def __init__(self, context: MatchContext) -> None:
        self._context = context

    @classmethod
    def create(  # noqa: PLR0913 - the fields of MatchInit
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
        """Handle MatchInit: create a match without connections.

        Args:
            match_id: Nakama's id of the match.
            options: the options of the match.
            unix_ms: milliseconds since 1970; sets the date of the daily challenge (D12).
            entropy: 24 random bytes: 8 for the generator of the bots, 16 for the secret of the match.
            expected: users with a reserved seat. Reservations end at the fill deadline; that of the
                creator ends after 15 seconds, because the creator joins immediately.
            creator_id: the user who may kick before the start; empty for a match without a creator.
            idle_ms: time after which a match without any message of a player ends; 0 means never.
            ranked_ms: shortest duration of a game whose win counts.

        Raises:
            OptionsError: there are more expected users than seats for users.
        """
        users = {user.user_id: user.username for user in expected}
        if len(users) > max_users(options):
            raise OptionsError(
                "maxPlayers",
                f"maxPlayers is {options.max_players}: {len(users)} users are expected, "
                f"only {max_users(options)} can take a seat",
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
            rng_state=int.from_bytes(entropy[:8]),
            secret=entropy[8:],
            creator_id=creator_id,
            reservations=reservations,
        )
        return cls(MatchContext.of(match_id, state, Moment(0, unix_ms)))

    @classmethod
    def restore(cls, match_id: str, state: bytes, moment: Moment) -> "Match":
        """Restore a match from its state, at the match clock after the last call.

        Raises:
            OtherVersionError: another version of the service wrote the state or the options in it.
            StateError: the bytes are not a state.
        """
        decoded = decode_state(state)
        try:
            return cls(MatchContext.of(match_id, decoded, moment))
        except OptionsError as error:
            raise OtherVersionError("state: has options that this service does not know") from error
        except ValueError as error:
            raise StateError("state: does not describe a match") from error

    @property
    def invitation(self) -> str:
        """The token that a join attempt must carry; empty for a public match."""
        return self._context.invitation

    def reserve(self, users: Sequence[Presence]) -> str | None:
        """Handle MatchReserve.

        Returns:
            None if each user has a seat or a reservation now, else the reason for the rejection.
        """
        timing.advance_until_deadline(self._context)
        return admission.reserve(self._context, users)

    def join_attempt(self, presence: Presence, metadata: dict[str, str]) -> str | None:
        """Handle MatchJoinAttempt.

        Returns:
            None if the connection may join, else the reason for the client.
        """
        timing.advance_until_deadline(self._context)
        return admission.join_attempt(self._context, presence, metadata)

    def join(self, presences: Sequence[Presence]) -> None:
        """Handle MatchJoin for connections in the order of their joins."""
        timing.advance_until_deadline(self._context)
        for presence in presences:
            seating.handle_join(self._context, presence)

    def loop(self, inputs: Sequence[Input], leaves: Sequence[Leave], skipped: Collection[int] = ()) -> None:
        """Handle MatchLoop: process inputs, leaves and due events up to the time of the call.

        Args:
            inputs: messages of players.
            leaves: connections that left.
            skipped: positions of inputs to reject as MALFORMED without reading them.

        Raises:
            InputError: handling an input failed. The caller must restore the match and repeat the loop with
                this input in `skipped`.
        """
        timing.run(self._context, order_of(self._context, inputs, leaves, skipped))

    def terminate(self) -> None:
        """Handle MatchTerminate: end the game as TERMINATED and close the match."""
        timing.advance_all(self._context)
        timing.terminate(self._context)

    def signal(self, data: str) -> bytes:
        """Handle MatchSignal and return JSON.

        `snapshot` returns the snapshot for a spectator, `close` terminates the match.
        """
        if data == "close":
            self.terminate()
            return msgspec.json.encode({"closed": True})
        timing.advance_until_deadline(self._context)
        if data == "snapshot":
            return msgspec.json.encode(views.snapshot_view(self._context, []))
        return msgspec.json.encode({"error": f"cmd: {data[:40]!r} is not known; allowed: snapshot, close"})

    def step(self) -> Step:
        """Return the outcome of the call: new state, broadcasts and effects."""
        context = self._context
        state, out = context.state, context.out
        new_label = label(context)
        is_label_changed = new_label != state.label
        state.label = new_label
        state.session = None if context.session is None else context.session.state
        state.now_ms = context.now_ms
        return Step(
            state=encode_state(state),
            broadcasts=out.broadcasts,
            label=new_label if is_label_changed else None,
            kicks=out.kicks,
            end=state.closed,
            wake_at_ms=timing.wake_at_ms(context),
            log=out.log,
            new_record=out.new_record,
            effects=out.effects,
            outcomes=out.outcomes,
            ended=out.ended,
        )
