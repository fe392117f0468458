"""A table to play at without a server: keeps the state between calls and applies steps, as the shim does.

Whatever a test does with it, every step is checked: payloads are the proto3 form, numbers to all rise by one,
nobody outside is addressed, the label fits, and the match is built anew from its bytes for each call.
"""

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
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
from tests.match.said import Said, claim, session_of
from tests.match.wire_form import strictly_read

TICK_MS: Final = 50
MATCH_ID: Final = "0b9e.node1"
NOON: Final = 1_796_126_400_000
"""2026-12-01 12:00 UTC."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Heard:
    """A message as the shim would send it; no audience: to everybody."""

    op_code: OpCode
    body: dict[str, Any]
    audience: tuple[str, ...] | None
    data: bytes


class TableDriver:
    """A match and those who talk to it. Options are JSON; without a seed among them the deck's is 1."""

    def __init__(  # noqa: PLR0913 - what MatchInit brings
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
        given = options or {}
        seed = {} if "DAILY" in given.get("mode", "") else {"seed": 1}
        self.options = parse_options(json.dumps({**seed, **given}).encode(), allow_seed=True)
        self.now_ms = self.tick = self.calls = self.last_seq = 0
        self.unix_time_ms = unix_time_ms
        self.heard: list[Heard] = []
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
        self._apply(
            Match.create(
                MATCH_ID,
                self.options,
                unix_time_ms,
                chance.to_bytes(8) + match_secret,
                users,
                creator_id=creator,
                idle_ms=idle_ms,
            ).step()
        )

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

    def enter(self, *users: str, session: str | None = None) -> list[Heard]:
        presences = [Presence(user, session or session_of(user), user) for user in users]
        self.present |= {presence.session_id for presence in presences}
        return self._hear(lambda: self.call(lambda match: match.join(presences)))

    def join(self, *users: str, session: str | None = None, **metadata: str) -> list[Heard]:
        """Attempt and join, one after the other, of users who must be let in."""
        start = len(self.heard)
        for user in users:
            assert self.attempt(user, session, **metadata) is None
            self.enter(user, session=session)
        return self.heard[start:]

    def leave(
        self,
        *users: str,
        reason: LeaveReason = LeaveReason.LEFT,
        session: str | None = None,
        left_ms: int | None = None,
    ) -> list[Heard]:
        when = self.now_ms if left_ms is None else left_ms
        presences = [Presence(user, session or session_of(user), user) for user in users]
        leaves = [Leave(presence, reason, when) for presence in presences]
        heard = self._hear(lambda: self.call(lambda match: match.loop([], leaves)))
        self.present -= {presence.session_id for presence in presences}
        return heard

    def lose(self, *users: str, session: str | None = None, left_ms: int | None = None) -> list[Heard]:
        return self.leave(*users, reason=LeaveReason.DISCONNECTED, session=session, left_ms=left_ms)

    def loop(self, *said: Said, skipped: Collection[int] = (), after_ms: int = TICK_MS) -> list[Heard]:
        """The next tick, with what was said in it."""
        self.tick, self.now_ms = self.tick + 1, self.now_ms + after_ms
        return self.loop_inputs([self.drained(message) for message in said], skipped=skipped)

    def drained(self, message: Said) -> Input:
        received_ms = self.now_ms - 1 if message.received_ms is None else message.received_ms
        return Input(
            self.tick,
            received_ms,
            self.unix_time_ms + received_ms,
            message.user,
            message.session_id,
            message.op_code,
            message.data,
        )

    def loop_inputs(self, inputs: Sequence[Input], *, skipped: Collection[int] = ()) -> list[Heard]:
        return self._hear(lambda: self.call(lambda match: match.loop(inputs, [], skipped)))

    def wait(self, milliseconds: int) -> list[Heard]:
        """Lets time pass; the match is called only when it asked to be."""
        start, until_ms = len(self.heard), self.now_ms + milliseconds
        while self.wake_ms is not None and self.wake_ms <= until_ms and not self.ended:
            self.now_ms = max(self.now_ms, self.wake_ms)
            self.loop(after_ms=0)
        self.now_ms = until_ms
        return self.heard[start:]

    def terminate(self) -> list[Heard]:
        return self._hear(lambda: self.call(lambda match: match.terminate()))

    def signal(self, word: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.call(lambda match: match.signal(word)))
        return answer

    def call(self, act: Callable[[Match], _T]) -> _T:
        """One call on a match that is built from its bytes."""
        match = Match.restore(MATCH_ID, self.state, self.moment)
        answer = act(match)
        self._apply(match.step())
        return answer

    @property
    def moment(self) -> Moment:
        return Moment(self.now_ms, self.unix_time_ms + self.now_ms)

    def _hear(self, act: Callable[[], None]) -> list[Heard]:
        start = len(self.heard)
        act()
        return self.heard[start:]

    def _apply(self, step: Step) -> None:
        self.calls += 1
        self.state, self.ended, self.wake_ms = step.state, step.end, step.wake_at_ms
        self._take_label(step.label)
        self.kicks += step.kicks
        if step.new_record:
            self.lines = []
        self.lines += [json.loads(line) for line in step.log]
        for broadcast in step.broadcasts:
            body = strictly_read(broadcast.op_code, broadcast.data)
            self._check(broadcast.audience, body)
            self.heard.append(Heard(broadcast.op_code, body, broadcast.audience, broadcast.data))
        for effect in step.effects:
            self._store(effect)

    def _take_label(self, label: str | None) -> None:
        if label is not None:
            assert len(label.encode()) <= MAX_LABEL_BYTES
            fresh = json.loads(label)
            assert fresh != self.label, "a label is sent only when it changed"
            self.label = fresh

    def _check(self, audience: tuple[str, ...] | None, body: dict[str, Any]) -> None:
        if audience is None:
            assert body["seq"] == self.last_seq + 1
            self.last_seq = body["seq"]
        else:
            assert set(audience) <= self.present, "a stranger was addressed"

    def _store(self, effect: Effect) -> None:
        self.effects.append(effect)
        if isinstance(effect, StorageWrite):
            assert effect.create_only
            assert effect.record_field == LINES_FIELD
            whole = {**json.loads(effect.value), LINES_FIELD: self.lines}
            self.records[effect.key] = json.dumps(whole).encode()

    # Shorthands of tests.

    def say(self, message: Said, **how: Any) -> Heard:
        """One message in a tick of its own, and the first thing heard after it."""
        return self.loop(message, **how)[0]

    def claim(self, user: str, cards: Sequence[int], claim_id: str | None = None, **how: Any) -> Heard:
        """A claim in a tick of its own, and its answer."""
        return self.say(claim(user, cards, claim_id or f"claim-{self.tick}", **how))

    def award(self, user: str, **how: Any) -> Heard:
        """A valid claim, and the time until claims are taken again."""
        self.settle()
        answer = self.claim(user, self.sets[0], **how)
        assert answer.body["valid"]
        self.settle()
        return answer

    def settle(self) -> None:
        """Waits until nobody is locked and the board has a Set, or the game is over."""
        while not self.session.end_reason and (self._lock_ms > self.now_ms or self.session.expansion_due):
            self.wait(max(TICK_MS, self._lock_ms - self.now_ms))

    @property
    def _lock_ms(self) -> int:
        return max(self.session.locked_until_ms, *(player.locked_until_ms for player in self.session.players))

    def snapshot(self, user: str, session: str | None = None) -> dict[str, Any]:
        """What a connection is told when it asks, without letting time pass."""
        message = Said(user, OpCode.SYNC, session=session)
        return self.loop(message, after_ms=0)[-1].body

    def rig(self, order: Sequence[int], *, drawn: int = 12, slots: Sequence[int] | None = None) -> None:
        """Puts another deck and board on the table: the first drawn cards, unless slots are given."""
        inside = self.inside
        assert inside.session is not None
        inside.session.order, inside.session.drawn = bytes(order), drawn
        inside.session.slots = list(order[:drawn] if slots is None else slots)
        inside.session.expansion_due = False
        self.state = encode_state(inside)

    @property
    def inside(self) -> MatchState:
        return decode_state(self.state)

    @property
    def session(self) -> SessionState:
        session = self.inside.session
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
        """Three cards on the board that are no Set."""
        return next(three for three in combinations(self.board, 3) if not find_sets_among(three))

    @property
    def stale(self) -> tuple[int, int, int]:
        """Three cards that are not on the board."""
        gone = [card for card in range(81) if card not in self.board]
        return (gone[0], gone[1], gone[2])

    def of(self, op_code: OpCode) -> list[dict[str, Any]]:
        """Everything heard so far under one op code."""
        return [heard.body for heard in self.heard if heard.op_code is op_code]


def started(options: dict[str, Any] | None = None, *users: str, **how: Any) -> TableDriver:
    """A table at which the game has begun, of ann and bob unless others are named; its board has a Set."""
    table = TableDriver(options, **how)
    table.join(*(users or ("ann", "bob")))
    assert table.of(OpCode.MATCH_STARTED), "the table is not full"
    table.settle()
    return table


def play_to_the_end(table: TableDriver, *users: str) -> None:
    """Claims Set after Set, one user after the other, until the game is over."""
    players = users or ("ann", "bob")
    for turn in range(81):
        if table.session.end_reason:
            return
        table.award(players[turn % len(players)])
