"""Test driver for one match: keeps the state between calls and applies steps, as the shim does.

Every step is checked: payloads are the proto3 form, the sequence numbers of public messages increase by one,
only present connections are addressed and the label fits. Each call uses a match restored from its bytes.
"""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Final, TypeVar

from match_handler.match.context import Moment, Presence
from match_handler.match.inputs import Input
from match_handler.match.label import MAX_LABEL_BYTES
from match_handler.match.match import IDLE_MS, Match
from match_handler.match.record import LINES_FIELD
from match_handler.match.seating import Leave, LeaveReason
from match_handler.match.state import MatchState, decode_state, encode_state
from match_handler.match.step import Effect, Step, StorageWrite
from match_handler.protocol.options import parse_options
from match_handler.protocol.payloads import OpCode
from set_core.state import SessionState
from set_core.validator import find_sets_among
from tests.match.messages import PlayerMessage, Received, claim, session_of
from tests.match.wire_form import parse_strictly

TICK_MS: Final = 50
MATCH_ID: Final = "0b9e.node1"
NOON: Final = 1_796_126_400_000
"""2026-12-01 12:00 UTC."""

_T = TypeVar("_T")


class MatchDriver:
    """One match and its connections. Options are JSON; the default seed is 1."""

    def __init__(  # noqa: PLR0913 - the parameters of MatchInit
        self,
        options: dict[str, Any] | None = None,
        *,
        expected: Iterable[str] = (),
        unix_time_ms: int = NOON,
        chance: int = 1,
        match_secret: bytes = bytes(16),
        idle_ms: int = IDLE_MS,
        creator: str = "",
    ) -> None:
        custom = options or {}
        seed = {} if "DAILY" in custom.get("mode", "") else {"seed": 1}
        self.options = parse_options(json.dumps({**seed, **custom}).encode(), allow_seed=True)
        self.now_ms = self.tick = self.calls = self.last_seq = 0
        self.unix_time_ms = unix_time_ms
        self.received: list[Received] = []
        self.lines: list[dict[str, Any]] = []
        self.effects: list[Effect] = []
        self.records: dict[str, bytes] = {}
        self.kicks: list[str] = []
        self.present: set[str] = set()
        self.label: dict[str, Any] = {}
        self.ended = False
        self.wake_ms: int | None = None
        self.state = b""
        users = [Presence(user, "", user) for user in expected]
        entropy = chance.to_bytes(8) + match_secret
        create = partial(Match.create, creator_id=creator, idle_ms=idle_ms)
        self._apply(create(MATCH_ID, self.options, unix_time_ms, entropy, users).step())

    # Calls of the shim.

    def attempt(self, user: str, session: str | None = None, **metadata: str) -> str | None:
        presence = Presence(user, session or session_of(user), user)
        return self.call(lambda match: match.join_attempt(presence, metadata))

    def reserve(self, *users: str) -> str | None:
        presences = [Presence(user, "", user) for user in users]
        return self.call(lambda match: match.reserve(presences))

    @property
    def invitation(self) -> str:
        return Match.restore(MATCH_ID, self.state, self.moment).invitation

    def enter(self, *users: str, session: str | None = None) -> list[Received]:
        presences = [Presence(user, session or session_of(user), user) for user in users]
        self.present |= {presence.session_id for presence in presences}
        return self._collect(lambda: self.call(lambda match: match.join(presences)))

    def join(self, *users: str, session: str | None = None, **metadata: str) -> list[Received]:
        """Join users one after the other; every attempt must be allowed."""
        start = len(self.received)
        for user in users:
            assert self.attempt(user, session, **metadata) is None
            self.enter(user, session=session)
        return self.received[start:]

    def leave(
        self,
        *users: str,
        reason: LeaveReason = LeaveReason.LEFT,
        session: str | None = None,
        left_ms: int | None = None,
    ) -> list[Received]:
        at_ms = self.now_ms if left_ms is None else left_ms
        presences = [Presence(user, session or session_of(user), user) for user in users]
        leaves = [Leave(presence, reason, at_ms) for presence in presences]
        received = self._collect(lambda: self.call(lambda match: match.loop([], leaves)))
        self.present -= {presence.session_id for presence in presences}
        return received

    def disconnect(
        self, *users: str, session: str | None = None, left_ms: int | None = None
    ) -> list[Received]:
        return self.leave(*users, reason=LeaveReason.DISCONNECTED, session=session, left_ms=left_ms)

    def loop(
        self, *messages: PlayerMessage, skipped: Collection[int] = (), after_ms: int = TICK_MS
    ) -> list[Received]:
        """Run the next tick with these messages."""
        self.tick, self.now_ms = self.tick + 1, self.now_ms + after_ms
        return self.loop_inputs([self.drained(message) for message in messages], skipped=skipped)

    def drained(self, message: PlayerMessage) -> Input:
        received_ms = self.now_ms - 1 if message.received_ms is None else message.received_ms
        sender = (message.user, message.session_id)
        unix_ms = self.unix_time_ms + received_ms
        return Input(self.tick, received_ms, unix_ms, *sender, message.op_code, message.data)

    def loop_inputs(self, inputs: Sequence[Input], *, skipped: Collection[int] = ()) -> list[Received]:
        return self._collect(lambda: self.call(lambda match: match.loop(inputs, [], skipped)))

    def wait(self, milliseconds: int) -> list[Received]:
        """Advance the time; the match is called only at its wake times."""
        start, until_ms = len(self.received), self.now_ms + milliseconds
        while self.wake_ms is not None and self.wake_ms <= until_ms and not self.ended:
            self.now_ms = max(self.now_ms, self.wake_ms)
            self.loop(after_ms=0)
        self.now_ms = until_ms
        return self.received[start:]

    def terminate(self) -> list[Received]:
        return self._collect(lambda: self.call(lambda match: match.terminate()))

    def signal(self, word: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.call(lambda match: match.signal(word)))
        return answer

    def call(self, act: Callable[[Match], _T]) -> _T:
        """Run one call on a match that is restored from its bytes."""
        match = Match.restore(MATCH_ID, self.state, self.moment)
        answer = act(match)
        self._apply(match.step())
        return answer

    @property
    def moment(self) -> Moment:
        return Moment(self.now_ms, self.unix_time_ms + self.now_ms)

    def _collect(self, act: Callable[[], None]) -> list[Received]:
        start = len(self.received)
        act()
        return self.received[start:]

    def _apply(self, step: Step) -> None:
        self.calls += 1
        self.state, self.ended, self.wake_ms = step.state, step.end, step.wake_at_ms
        self._apply_label(step.label)
        self.kicks += step.kicks
        if step.new_record:
            self.lines = []
        self.lines += [json.loads(line) for line in step.log]
        for broadcast in step.broadcasts:
            body = parse_strictly(broadcast.op_code, broadcast.data)
            self._check(broadcast.audience, body)
            self.received.append(Received(broadcast.op_code, body, broadcast.audience, broadcast.data))
        for effect in step.effects:
            self._store(effect)

    def _apply_label(self, label: str | None) -> None:
        if label is not None:
            assert len(label.encode()) <= MAX_LABEL_BYTES
            new_label = json.loads(label)
            assert new_label != self.label, "the label was sent without a change"
            self.label = new_label

    def _check(self, audience: tuple[str, ...] | None, body: dict[str, Any]) -> None:
        if audience is None:
            assert body["seq"] == self.last_seq + 1
            self.last_seq = body["seq"]
        else:
            assert set(audience) <= self.present, "the audience contains an absent session"

    def _store(self, effect: Effect) -> None:
        self.effects.append(effect)
        if isinstance(effect, StorageWrite):
            assert effect.create_only
            assert effect.record_field == LINES_FIELD
            record = {**json.loads(effect.value), LINES_FIELD: self.lines}
            self.records[effect.key] = json.dumps(record).encode()

    # Shortcuts for tests.

    def send(self, message: PlayerMessage, **kwargs: Any) -> Received:
        """Send one message in its own tick and return the first response."""
        return self.loop(message, **kwargs)[0]

    def claim(self, user: str, cards: Sequence[int], claim_id: str | None = None, **kwargs: Any) -> Received:
        """Send a claim in its own tick and return the response."""
        return self.send(claim(user, cards, claim_id or f"claim-{self.tick}", **kwargs))

    def claim_set(self, user: str, **kwargs: Any) -> Received:
        """Send a valid claim and wait until the lock has ended."""
        self.settle()
        answer = self.claim(user, self.sets[0], **kwargs)
        assert answer.body["valid"]
        self.settle()
        return answer

    def settle(self) -> None:
        """Wait until no player is locked and the board has a Set, or the game is over."""
        while not self.session.end_reason and (self._lock_ms > self.now_ms or self.session.expansion_due):
            self.wait(max(TICK_MS, self._lock_ms - self.now_ms))

    @property
    def _lock_ms(self) -> int:
        return max(self.session.locked_until_ms, *(player.locked_until_ms for player in self.session.players))

    def snapshot(self, user: str, session: str | None = None) -> dict[str, Any]:
        """Return the snapshot that a connection receives at this time."""
        message = PlayerMessage(user, OpCode.SYNC, session=session)
        return self.loop(message, after_ms=0)[-1].body

    def set_deck(self, order: Sequence[int], *, drawn: int = 12, slots: Sequence[int] | None = None) -> None:
        """Replace deck and board. The board is the first `drawn` cards unless `slots` is set."""
        match_state = self.match_state
        assert match_state.session is not None
        match_state.session.order, match_state.session.drawn = bytes(order), drawn
        match_state.session.slots = list(order[:drawn] if slots is None else slots)
        match_state.session.expansion_due = False
        self.state = encode_state(match_state)

    @property
    def match_state(self) -> MatchState:
        return decode_state(self.state)

    @property
    def session(self) -> SessionState:
        session = self.match_state.session
        assert session is not None
        return session

    @property
    def board(self) -> list[int]:
        return [card for card in self.session.slots if card >= 0]

    @property
    def sets(self) -> list[tuple[int, int, int]]:
        return find_sets_among(self.board)

    @property
    def not_a_set(self) -> tuple[int, int, int]:
        """Return three cards on the board that are not a Set."""
        return next(three for three in combinations(self.board, 3) if not find_sets_among(three))

    @property
    def stale(self) -> tuple[int, int, int]:
        """Return three cards that are not on the board."""
        absent = [card for card in range(81) if card not in self.board]
        return (absent[0], absent[1], absent[2])

    def bodies(self, op_code: OpCode) -> list[dict[str, Any]]:
        """Return the bodies of all messages received so far under one op code."""
        return [received.body for received in self.received if received.op_code is op_code]


def started(options: dict[str, Any] | None = None, *users: str, **kwargs: Any) -> MatchDriver:
    """Return a driver whose game has begun and whose board has a Set; the default users are ann and bob."""
    driver = MatchDriver(options, **kwargs)
    driver.join(*(users or ("ann", "bob")))
    assert driver.bodies(OpCode.MATCH_STARTED), "the match has not started"
    driver.settle()
    return driver


def play_to_the_end(driver: MatchDriver, *users: str) -> None:
    """Claim Sets in turn for these users until the game is over."""
    players = users or ("ann", "bob")
    for turn in range(81):
        if driver.session.end_reason:
            return
        driver.claim_set(players[turn % len(players)])
