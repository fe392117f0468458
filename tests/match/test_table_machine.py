"""Anything that users and time can do to a table, in any order, and what always holds."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from match_handler.match.replay import differences, parse_record
from match_handler.match.seating import LeaveReason
from match_handler.protocol.payloads import OpCode
from set_core.validator import find_sets_among
from tests.match.driver import Heard
from tests.match.follower import Follower
from tests.match.said import Said, claim
from tests.match.twin import TwinnedDriver

USERS = st.sampled_from(["ann", "bob", "cat", "dan"])
REASONS = st.sampled_from(list(LeaveReason))
TABLES = st.fixed_dictionaries(
    {"maxPlayers": st.integers(1, 3), "minPlayers": st.just(1)},
    optional={
        "penalty": st.sampled_from(["POINT", "NONE"]),
        "timeLimitSeconds": st.sampled_from([0, 20]),
        "reconnectWindowSeconds": st.sampled_from([0, 2, 30]),
        "allowSpectators": st.booleans(),
        "seed": st.integers(1, 50),
        "animationMs": st.just({"validSet": 0, "refill": 0, "invalidSet": 0, "expandBoard": 0}),
    },
)
BOTS = st.sampled_from([[], [], [{"level": "HARD"}]])
PAUSES = st.sampled_from([0, 1, 49, 50, 399, 400, 700, 2_000, 15_000, 30_000])


class TableMachine(RuleBasedStateMachine):
    """One table, four users with any number of connections each."""

    @initialize(options=TABLES, bots=BOTS, chance=st.integers(0, 9))
    def set_up(self, options: dict[str, Any], bots: list[dict[str, str]], chance: int) -> None:
        seats = options["maxPlayers"] + len(bots)
        self.table = TwinnedDriver({**options, "maxPlayers": seats, "bots": bots}, chance=chance)
        self.followers: dict[str, Follower] = {}
        self.allowed: dict[str, str] = {}
        self.owners: dict[str, str] = {}
        self.claims = self.sessions = self.read = 0

    def spread(self) -> None:
        """Brings what was said to those who are in the match."""
        for told in self.table.heard[self.read :]:
            for session, follower in self.followers.items():
                if told.audience is None or session in told.audience:
                    follower.hear(told)
        self.read = len(self.table.heard)

    @precondition(lambda self: not self.table.ended)
    @rule(user=USERS, watch=st.sampled_from(["", "true"]))
    def attempt(self, user: str, watch: str) -> None:
        self.sessions += 1
        session = f"{user}-{self.sessions}"
        before = len(self.table.heard)
        if self.table.attempt(user, session, spectate=watch) is None:
            self.allowed[session] = user
        assert all(told.audience is None for told in self.table.heard[before:])
        self.spread()

    @precondition(lambda self: self.allowed and not self.table.ended)
    @rule(data=st.data())
    def enter(self, data: st.DataObject) -> None:
        session = data.draw(st.sampled_from(sorted(self.allowed)))
        user = self.allowed.pop(session)
        self.table.loop(after_ms=0)
        self.spread()
        self.followers[session], self.owners[session] = Follower(), user
        self.table.enter(user, session=session)
        self.followers[session].seq = first_seq(self.table.heard[self.read :])
        self.spread()
        if session in self.table.kicks:
            self.go(session, LeaveReason.LEFT)

    @precondition(lambda self: self.followers and not self.table.ended)
    @rule(data=st.data(), reason=REASONS)
    def leave(self, data: st.DataObject, reason: LeaveReason) -> None:
        self.go(data.draw(st.sampled_from(sorted(self.followers))), reason)

    def go(self, session: str, reason: LeaveReason) -> None:
        del self.followers[session]
        self.table.leave(self.owners[session], reason=reason, session=session)
        self.spread()

    @precondition(lambda self: not self.table.ended)
    @rule(data=st.data(), pause_ms=PAUSES, count=st.integers(0, 3))
    def speak(self, data: st.DataObject, pause_ms: int, count: int) -> None:
        self.table.loop(*[data.draw(self.messages()) for _ in range(count)], after_ms=pause_ms)
        self.spread()

    @precondition(lambda self: not self.table.ended)
    @rule(data=st.data(), pauses=st.lists(PAUSES, min_size=2, max_size=3))
    def speak_for_several_ticks(self, data: st.DataObject, pauses: list[int]) -> None:
        """What waited while the service was away comes in one call."""
        waiting = []
        for pause_ms in pauses:
            self.table.tick, self.table.now_ms = self.table.tick + 1, self.table.now_ms + pause_ms
            said = data.draw(st.lists(self.messages(), max_size=3))
            waiting += [self.table.drained(message) for message in said]
        self.table.loop_inputs(waiting)
        self.table.loop(after_ms=0)
        self.spread()

    def messages(self) -> st.SearchStrategy[Said]:
        sessions = st.sampled_from(sorted(self.followers) or ["nobody"])
        return st.builds(self.message, sessions, st.integers(0, 9), st.booleans())

    def message(self, session: str, kind: int, late: bool) -> Said:  # noqa: FBT001 - drawn by position
        user = self.owners.get(session, "eve")
        if kind < 4:
            op_code = (OpCode.READY, OpCode.REMATCH, OpCode.HINT, OpCode.SYNC)[kind]
            return Said(user, op_code, session=session)
        self.claims += 1
        received_ms = self.table.now_ms - (0 if late else 500)
        cards = self.cards(kind)
        return claim(user, cards, f"claim-{self.claims // 2}", session=session, received_ms=received_ms)

    def cards(self, kind: int) -> tuple[int, ...]:
        board = self.table.board if self.table.inside.session else []
        sets = find_sets_among(board)
        return sets[-1] if sets and kind < 8 else (kind, kind + 30, kind + 60)

    @precondition(lambda self: not self.table.ended)
    @rule(pause_ms=PAUSES)
    def wait(self, pause_ms: int) -> None:
        self.table.wait(pause_ms)
        self.spread()

    @precondition(lambda self: self.table.ended)
    @rule()
    def stay_closed(self) -> None:
        """Nothing more comes of a match that is over."""
        told = len(self.table.heard)
        self.table.loop(after_ms=60_000)
        assert self.table.ended
        assert len(self.table.heard) == told

    @invariant()
    def every_card_is_somewhere(self) -> None:
        session = self.table.inside.session
        if session is not None:
            taken = 3 * sum(player.sets_collected for player in session.players)
            assert taken + len(self.table.board) + 81 - session.drawn == 81
            assert all(player.score >= 0 for player in session.players)

    @invariant()
    def seats_are_whose_they_are(self) -> None:
        inside = self.table.inside
        users = [seat.user_id for seat in inside.seats if seat.bot_level is None]
        assert len(users) == len(set(users))
        connected = {connection.session_id for connection in inside.connections}
        assert connected == set(self.followers)
        assert {seat.session_id for seat in inside.seats if seat.session_id} <= connected

    @invariant()
    def who_listens_knows_what_a_snapshot_says(self) -> None:
        if self.table.ended:
            return
        self.table.loop(after_ms=0)
        self.spread()
        snapshot = self.table.signal("snapshot")
        for session, follower in self.followers.items():
            follower.agrees_with(snapshot)
            seats = self.table.inside.seats
            assert follower.seats == [i for i, seat in enumerate(seats) if seat.session_id == session]

    @invariant()
    def what_is_due_lies_ahead(self) -> None:
        table = self.table
        assert table.ended == (table.wake_ms is None and table.inside.closed)
        assert table.wake_ms is None or table.wake_ms > table.now_ms or table.calls == 1

    def teardown(self) -> None:
        if not hasattr(self, "table"):
            return
        self.table.terminate()
        assert self.table.ended
        for raw in self.table.records.values():
            assert differences(parse_record(raw)) == []


def first_seq(heard: list[Heard]) -> int:
    """What a newcomer's number is before the first message: the snapshot sets it if it comes first."""
    return next((told.body["seq"] - 1 for told in heard if told.audience is None), 0)


TableMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestTable = TableMachine.TestCase
