"""A match: Nakama's callbacks as functions of a state (DESIGN sections 4 and 7).

Every call takes the state's bytes and the match clock and answers a `Step`; nothing is kept in between. What
is due by then happens first, each thing at its own time.
"""

from collections.abc import Callable, Collection, Sequence
from operator import itemgetter
from typing import Final

import msgspec

from match_handler import bots, seating, views
from match_handler.deadlines import deadline_by
from match_handler.game import DAY_MS, end_match, publish
from match_handler.inputs import Input, InputError, Numbered, handle, in_order, reject
from match_handler.label import label
from match_handler.option_form import stored_form
from match_handler.payloads import readable_claim_id
from match_handler.seating import Departure, Presence
from match_handler.state import (
    MatchState,
    OtherVersionError,
    Reservation,
    StateError,
    decode_state,
    encode_state,
)
from match_handler.step import Step
from match_handler.table import Table, user_places
from set_core.option_errors import OptionsError
from set_core.options import MatchOptions
from set_core.results import EndReason

FILL_MS = 60_000
"""How long a table may take to fill (DESIGN section 7)."""

LAST_MS: Final = 24 * DAY_MS
"""When a match that still goes on is ended: clients read times as int32, which hold 24.8 days (E58)."""

Due = tuple[int, Callable[[], None]]
_WHEN: Final = itemgetter(0)


def _first_in_time(waiting: list[Numbered], deadline_ms: int | None) -> int:
    """In a tick with a deadline, what came before it goes first (D8)."""
    if deadline_ms is None:
        return 0
    return next((i for i, (_, message) in enumerate(waiting) if message.received_ms < deadline_ms), 0)


class Match:
    """A match in the middle of a call."""

    def __init__(self, table: Table) -> None:
        self._table = table
        # The present, before which `approach` may stop.
        self._now_ms = table.now_ms

    @classmethod
    def create(
        cls,
        match_id: str,
        options: MatchOptions,
        unix_time_ms: int,
        entropy: bytes,
        expected: Sequence[Presence],
    ) -> "Match":
        """MatchInit: an empty table.

        Args:
            match_id: Nakama's id of the match.
            options: how it is played.
            unix_time_ms: the time of day, which the daily challenge's date comes from (D12).
            entropy: 24 random bytes, from which bots draw and the keys of records are made.
            expected: users for whom a place is kept.

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
        places = [Reservation(user_id, username, FILL_MS) for user_id, username in users.items()]
        chance, secret = int.from_bytes(entropy[:8]), entropy[8:]
        state = MatchState(stored_form(options), unix_time_ms, FILL_MS, chance, secret, reservations=places)
        return cls(Table.of(match_id, state))

    @classmethod
    def restore(cls, match_id: str, state: bytes) -> "Match":
        """The match of a state; `approach` or `loop` brings it to the present.

        Raises:
            OtherVersionError: a state, or options in it, of another version of the service.
            StateError: the bytes are not a state.
        """
        decoded = decode_state(state)
        try:
            return cls(Table.of(match_id, decoded))
        except OptionsError as error:
            raise OtherVersionError("state: has options that this service does not know") from error
        except ValueError as error:
            raise StateError("state: does not describe a match") from error

    def join_attempt(self, presence: Presence, metadata: dict[str, str]) -> str | None:
        """MatchJoinAttempt: None if the presence may come in, else the reason shown to the client."""
        if self._table.state.closed:
            return seating.OVER
        return seating.join_attempt(self._table, presence, metadata)

    def join(self, presences: Sequence[Presence]) -> None:
        """MatchJoin, in the order of coming."""
        for presence in presences:
            seating.join(self._table, presence)

    def leave(self, departures: Sequence[Departure]) -> None:
        """MatchLeave, in the order of going; what was due before a player goes comes first."""
        for departure in departures:
            if self._table.seats_of_session(departure.presence.session_id):
                self.advance(self._now_ms)
            seating.leave(self._table, departure)
        self.advance(self._table.now_ms)

    def terminate(self) -> None:
        """MatchTerminate: tells the players, ends the game as TERMINATED, closes the match."""
        self.advance(self._now_ms)
        self._cut_off()

    def _cut_off(self) -> None:
        if not self._table.state.closed:
            end_match(self._table, EndReason.TERMINATED)

    def signal(self, word: str) -> bytes:
        """MatchSignal: `snapshot` answers what a spectator sees, `close` ends the match; JSON either way."""
        if word == "snapshot":
            return msgspec.json.encode(views.snapshot_view(self._table, []))
        if word == "close":
            self.terminate()
            return msgspec.json.encode({"closed": True})
        return msgspec.json.encode({"error": f"cmd: {word[:40]!r} is not known; allowed: snapshot, close"})

    def approach(self, now_ms: int, drained_ms: int = -1) -> None:
        """Like `advance`, but leaves a clock that ran out after `drained_ms` to the loop of the next tick.

        What players sent in time may still wait for that tick, and counts (D8, E57).
        """
        self._now_ms = now_ms
        session = self._table.session
        closing_ms = None if session is None else session.closing_ms
        if closing_ms is not None and closing_ms > drained_ms:
            now_ms = min(now_ms, closing_ms - 1)
        self.advance(now_ms)

    def advance(self, now_ms: int) -> None:
        """Lets everything happen that is due by `now_ms`, each thing at its own time, up to `LAST_MS`."""
        if now_ms >= LAST_MS:
            self._pass_time(LAST_MS)
            self._cut_off()
        else:
            self._pass_time(now_ms)

    def _pass_time(self, now_ms: int) -> None:
        table = self._table
        while not table.state.closed and (due := self._next_due()) is not None and due[0] <= now_ms:
            table.now_ms = max(table.now_ms, due[0])
            due[1]()
        table.now_ms = max(table.now_ms, now_ms)
        session = table.session
        if session is not None and session.state.seen_ms < table.now_ms:
            session.advance(table.now_ms)  # what it would tell has happened above; phases pass

    def loop(self, inputs: Sequence[Input], skipped: Collection[int], now_ms: int) -> None:
        """MatchLoop: the inputs in their order, then the time up to `now_ms`.

        Inputs at the positions in `skipped` are answered MALFORMED unseen.

        Raises:
            InputError: handling an input failed; the match is to be restored and run again without it.
        """
        drained_ms = now_ms
        for group in in_order(inputs):
            drained_ms = self._run_tick(group, skipped)
        if drained_ms < now_ms:
            self.approach(now_ms, drained_ms)
        else:
            self.advance(now_ms)

    def _run_tick(self, waiting: list[Numbered], skipped: Collection[int]) -> int:
        """The inputs of one tick; returns when it was drained."""
        drained_ms = max([message.drained_ms for _, message in waiting])
        while waiting:
            deadline_ms = deadline_by(self._table, drained_ms)
            position, message = waiting.pop(_first_in_time(waiting, deadline_ms))
            in_time = deadline_ms is not None and message.received_ms < deadline_ms
            self.advance(deadline_ms - 1 if deadline_ms is not None and in_time else drained_ms)
            self._handle(position, message, skipped)
        return drained_ms

    def _handle(self, position: int, message: Input, skipped: Collection[int]) -> None:
        if position in skipped:
            reject(self._table, message, "MALFORMED", readable_claim_id(message.data))
            return
        try:
            handle(self._table, message)
        except Exception as error:
            raise InputError(position) from error

    def _next_due(self) -> Due | None:
        dues = self._dues()
        return min(dues, key=_WHEN) if len(dues) > 1 else dues[0] if dues else None

    def _dues(self) -> list[Due]:
        table = self._table
        state, session = table.state, table.session
        dues: list[Due] = []
        if session is not None and (wake_ms := session.wake_ms) is not None:
            dues.append((wake_ms, self._session_due))
        windows = [s.reconnect_deadline_ms for s in state.seats if s.reconnect_deadline_ms is not None]
        if windows:
            dues.append((min(windows), self._window_due))
        if state.reservations:
            dues.append((min(r.until_ms for r in state.reservations), self._reservation_due))
        if session is None:
            dues.append((state.fill_deadline_ms, self._fill_due))
        if state.closes_at_ms is not None and table.game_over:
            dues.append((state.closes_at_ms, self._close_due))
        if (claim := bots.next_claim(table)) is not None:
            dues.append((claim[0], lambda: self._bot_due(claim[1], claim[2])))
        return dues

    def _session_due(self) -> None:
        assert self._table.session is not None
        publish(self._table, self._table.session.advance(self._table.now_ms))

    def _window_due(self) -> None:
        seating.expire_windows(self._table)

    def _reservation_due(self) -> None:
        state, now_ms = self._table.state, self._table.now_ms
        state.reservations = [r for r in state.reservations if r.until_ms > now_ms]

    def _fill_due(self) -> None:
        if seating.enough_players(self._table):
            seating.start_first_game(self._table)
        else:
            end_match(self._table, EndReason.ABANDONED)

    def _close_due(self) -> None:
        self._table.state.closed = True

    def _bot_due(self, seat: int, card_ids: tuple[int, int, int]) -> None:
        table = self._table
        assert table.session is not None
        table.state.seats[seat].bot_plan = None
        publish(table, table.session.claim(seat, card_ids, table.now_ms), f"bot-{seat}-{table.state.seq}")

    def step(self) -> Step:
        """The outcome: the new state and what the call does to the world."""
        table = self._table
        state, out = table.state, table.out
        new_label = label(table)
        changed = new_label != state.label
        state.label = new_label
        state.session = None if table.session is None else table.session.state
        due = None if state.closed else self._next_due()
        return Step(
            state=encode_state(state),
            broadcasts=out.broadcasts,
            label=new_label if changed else None,
            kicks=out.kicks,
            end=state.closed,
            wake_at_ms=None if due is None else due[0],
            log=out.log,
            new_record=out.new_record,
            effects=out.effects,
            outcomes=out.outcomes,
            ended=out.ended,
        )
