"""State machine test: arbitrary actions of users and time in any order keep the invariants of a match."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from match_handler.match.replay import differences, parse_record
from match_handler.match.seating import LeaveReason
from match_handler.protocol.payloads import OpCode
from set_core.validator import find_sets_among
from tests.match.follower import Follower
from tests.match.messages import PlayerMessage, Received, claim
from tests.match.twin import TwinnedDriver

USERS = st.sampled_from(["ann", "bob", "cat", "dan"])
REASONS = st.sampled_from(list(LeaveReason))
OPTIONS = st.fixed_dictionaries(
    {"maxPlayers": st.integers(1, 3), "minPlayers": st.just(1)},
    optional={
        "penalty": st.sampled_from(["POINT", "NONE"]),
        "timeLimitSeconds": st.sampled_from([0, 20]),
        "reconnectWindowSeconds": st.sampled_from([0, 2, 30]),
        "allowSpectators": st.booleans(),
        "claimOrder": st.sampled_from(["TICK", "ARRIVAL"]),
        "seed": st.integers(1, 50),
        "animationMs": st.just({"validSet": 0, "refill": 0, "invalidSet": 0, "expandBoard": 0}),
    },
)
BOTS = st.sampled_from([[], [], [{"level": "HARD"}]])
PAUSES = st.sampled_from([0, 1, 49, 50, 399, 400, 700, 2_000, 15_000, 30_000])


class MatchMachine(RuleBasedStateMachine):
    """One match and four users with any number of connections each."""

    @initialize(options=OPTIONS, bots=BOTS, chance=st.integers(0, 9))
    def set_up(self, options: dict[str, Any], bots: list[dict[str, str]], chance: int) -> None:
        seats = options["maxPlayers"] + len(bots)
        self.driver = TwinnedDriver({**options, "maxPlayers": seats, "bots": bots}, chance=chance)
        self.followers: dict[str, Follower] = {}
        self.allowed: dict[str, str] = {}
        self.owners: dict[str, str] = {}
        self.claims = self.sessions = self.read = 0

    def deliver(self) -> None:
        """Deliver new messages to the connected followers."""
        for message in self.driver.received[self.read :]:
            for session, follower in self.followers.items():
                if message.audience is None or session in message.audience:
                    follower.apply(message)
        self.read = len(self.driver.received)

    @precondition(lambda self: not self.driver.ended)
    @rule(user=USERS, watch=st.sampled_from(["", "true"]))
    def attempt(self, user: str, watch: str) -> None:
        self.sessions += 1
        session = f"{user}-{self.sessions}"
        before = len(self.driver.received)
        if self.driver.attempt(user, session, spectate=watch) is None:
            self.allowed[session] = user
        assert all(message.audience is None for message in self.driver.received[before:])
        self.deliver()

    @precondition(lambda self: self.allowed and not self.driver.ended)
    @rule(data=st.data())
    def enter(self, data: st.DataObject) -> None:
        session = data.draw(st.sampled_from(sorted(self.allowed)))
        user = self.allowed.pop(session)
        self.driver.loop(after_ms=0)
        self.deliver()
        self.followers[session], self.owners[session] = Follower(), user
        self.driver.enter(user, session=session)
        self.followers[session].seq = first_seq(self.driver.received[self.read :])
        self.deliver()
        if session in self.driver.kicks:
            self.end_connection(session, LeaveReason.LEFT)

    @precondition(lambda self: self.followers and not self.driver.ended)
    @rule(data=st.data(), reason=REASONS)
    def leave(self, data: st.DataObject, reason: LeaveReason) -> None:
        self.end_connection(data.draw(st.sampled_from(sorted(self.followers))), reason)

    def end_connection(self, session: str, reason: LeaveReason) -> None:
        del self.followers[session]
        self.driver.leave(self.owners[session], reason=reason, session=session)
        self.deliver()

    @precondition(lambda self: not self.driver.ended)
    @rule(data=st.data(), pause_ms=PAUSES, count=st.integers(0, 3))
    def send(self, data: st.DataObject, pause_ms: int, count: int) -> None:
        self.driver.loop(*[data.draw(self.messages()) for _ in range(count)], after_ms=pause_ms)
        self.deliver()

    @precondition(lambda self: not self.driver.ended)
    @rule(data=st.data(), pauses=st.lists(PAUSES, min_size=2, max_size=3))
    def send_for_several_ticks(self, data: st.DataObject, pauses: list[int]) -> None:
        """Inputs queued during an outage arrive in one call."""
        waiting = []
        for pause_ms in pauses:
            self.driver.tick, self.driver.now_ms = self.driver.tick + 1, self.driver.now_ms + pause_ms
            messages = data.draw(st.lists(self.messages(), max_size=3))
            waiting += [self.driver.drained(message) for message in messages]
        self.driver.loop_inputs(waiting)
        self.driver.loop(after_ms=0)
        self.deliver()

    def messages(self) -> st.SearchStrategy[PlayerMessage]:
        sessions = st.sampled_from(sorted(self.followers) or ["nobody"])
        return st.builds(self.message, sessions, st.integers(0, 9), st.booleans())

    def message(self, session: str, kind: int, late: bool) -> PlayerMessage:  # noqa: FBT001 - drawn by position
        user = self.owners.get(session, "eve")
        if kind < 4:
            op_code = (OpCode.READY, OpCode.REMATCH, OpCode.HINT, OpCode.SYNC)[kind]
            return PlayerMessage(user, op_code, session=session)
        self.claims += 1
        received_ms = self.driver.now_ms - (0 if late else 500)
        cards = self.cards(kind)
        return claim(user, cards, f"claim-{self.claims // 2}", session=session, received_ms=received_ms)

    def cards(self, kind: int) -> tuple[int, ...]:
        board = self.driver.board if self.driver.match_state.session else []
        sets = find_sets_among(board)
        return sets[-1] if sets and kind < 8 else (kind, kind + 30, kind + 60)

    @precondition(lambda self: not self.driver.ended)
    @rule(pause_ms=PAUSES)
    def wait(self, pause_ms: int) -> None:
        self.driver.wait(pause_ms)
        self.deliver()

    @precondition(lambda self: self.driver.ended)
    @rule()
    def remain_closed(self) -> None:
        """A closed match sends no messages."""
        count = len(self.driver.received)
        self.driver.loop(after_ms=60_000)
        assert self.driver.ended
        assert len(self.driver.received) == count

    @invariant()
    def no_card_is_lost(self) -> None:
        session = self.driver.match_state.session
        if session is not None:
            taken = 3 * sum(player.sets_collected for player in session.players)
            assert taken + len(self.driver.board) + 81 - session.drawn == 81
            assert all(player.score >= 0 for player in session.players)

    @invariant()
    def seats_match_their_connections(self) -> None:
        match_state = self.driver.match_state
        users = [seat.user_id for seat in match_state.seats if seat.bot_level is None]
        assert len(users) == len(set(users))
        connected = {connection.session_id for connection in match_state.connections}
        assert connected == set(self.followers)
        assert {seat.session_id for seat in match_state.seats if seat.session_id} <= connected

    @invariant()
    def followers_match_a_new_snapshot(self) -> None:
        if self.driver.ended:
            return
        self.driver.loop(after_ms=0)
        self.deliver()
        snapshot = self.driver.signal("snapshot")
        for session, follower in self.followers.items():
            follower.check_equals(snapshot)
            seats = self.driver.match_state.seats
            assert follower.seats == [i for i, seat in enumerate(seats) if seat.session_id == session]

    @invariant()
    def wake_time_is_in_the_future(self) -> None:
        driver = self.driver
        assert driver.ended == (driver.wake_ms is None and driver.match_state.closed)
        assert driver.wake_ms is None or driver.wake_ms > driver.now_ms or driver.calls == 1

    def teardown(self) -> None:
        if not hasattr(self, "driver"):
            return
        self.driver.terminate()
        assert self.driver.ended
        for raw in self.driver.records.values():
            assert differences(parse_record(raw)) == []


def first_seq(received: list[Received]) -> int:
    """Return the sequence number before the first message; a snapshot replaces it if it is first."""
    return next((message.body["seq"] - 1 for message in received if message.audience is None), 0)


MatchMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestMatch = MatchMachine.TestCase
