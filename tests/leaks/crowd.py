"""Random users of a match: they join, leave, send claims and invalid messages, and spectate at any time."""

import json
import random
from collections import Counter
from collections.abc import Callable

from match_handler.match.context import Presence
from match_handler.match.inputs import Input
from match_handler.match.match import Match
from match_handler.match.seating import Leave, LeaveReason
from match_handler.match.step import Step
from match_handler.protocol.payloads import OpCode
from set_core.validator import find_sets_among
from tests.leaks.shadow import ShadowedMatch

USERS = ("ann", "bob", "cat", "dan", "eve")
INVALID_PAYLOADS = (b"", b"[]", b"{", b'{"claimId": "x", "cardIds": [1, 1, 2]}', b"\xff\xfe", b'{"seat": 9}')
WAITS_MS = (1, 50, 200, 700, 3_000, 31_000)


class Crowd:
    """Acts randomly on a match and counts the received messages by op code."""

    def __init__(self, match: ShadowedMatch, chance: random.Random) -> None:
        self.match = match
        self.chance = chance
        self.now_ms = 0
        self.over = False
        self.received: Counter[str] = Counter()
        self._present: dict[str, Presence] = {}
        self._joins: Counter[str] = Counter()
        self._claims = 0

    def act(self) -> None:
        """Make one random call."""
        kinds: list[Callable[[], None]] = [self._join, self._leave, self._wait, self._signal, self._send]
        self.chance.choices(kinds, (3, 1, 4, 1, 16))[0]()

    def _call(self, act: Callable[[Match], object]) -> object:
        answer, step = self.match.call(act, self.now_ms)
        self._count(step)
        return answer

    def _count(self, step: Step) -> None:
        self.over = step.end
        self.received.update(sent.op_code.name for sent in step.broadcasts)

    def _join(self) -> None:
        user = self.chance.choice(USERS)
        self._joins[user] += 1
        presence = Presence(user, f"{user}/{self._joins[user]}", user)
        metadata = {"spectate": "true"} if self.chance.random() < 0.2 else {}
        refusal = self._call(lambda match: match.join_attempt(presence, metadata))
        self.received["allowed" if refusal is None else f"refused: {refusal}"] += 1
        if refusal is None and not self.over and self.chance.random() < 0.95:
            self._call(lambda match: match.join([presence]))
            self._present[presence.session_id] = presence

    def _leave(self) -> None:
        if self._present:
            presence = self._present.pop(self.chance.choice(sorted(self._present)))
            reason = self.chance.choice(
                (LeaveReason.DISCONNECTED, LeaveReason.DISCONNECTED, LeaveReason.LEFT)
            )
            self._call(lambda match: match.loop([], [Leave(presence, reason, self.now_ms)]))

    def _wait(self) -> None:
        self.now_ms += self.chance.choices(WAITS_MS, (4, 8, 8, 8, 2, 1))[0]
        self._call(lambda match: match.loop([], []))

    def _signal(self) -> None:
        self._call(lambda match: match.signal("snapshot"))
        self.received["signal"] += 1

    def _send(self) -> None:
        if self._present:
            self.now_ms += self.chance.choice((50, 400, 750))
            count = self.chance.choice((1, 1, 1, 2, 3))
            inputs = [self._input(self.now_ms - count + place) for place in range(count)]
            self._call(lambda match: match.loop(inputs, []))

    def _input(self, received_ms: int) -> Input:
        presence = self._present[self.chance.choice(sorted(self._present))]
        op_code, data = self._message(presence.session_id)
        tick = self.now_ms // 50
        return Input(tick, received_ms, received_ms, presence.user_id, presence.session_id, op_code, data)

    def _message(self, session_id: str) -> tuple[int, bytes]:
        if self.chance.random() < 0.08:
            return self.chance.randint(0, 8), self.chance.choice(INVALID_PAYLOADS)
        others = [OpCode.SYNC, OpCode.READY, OpCode.REMATCH, OpCode.HINT, OpCode.EXTEND]
        if self.chance.random() < 0.25:
            return self.chance.choice(others), b"{}"
        return OpCode.CLAIM, self._claim(session_id)

    def _claim(self, session_id: str) -> bytes:
        self._claims += 1
        claim: dict[str, object] = {"claimId": f"c{self._claims}", "cardIds": self._cards()}
        state = self.match.match_state
        seats = [seat for seat, held in enumerate(state.seats) if held.session_id == session_id]
        if len(seats) > 1:
            claim["seat"] = self.chance.choice(seats)
        return json.dumps(claim).encode()

    def _cards(self) -> list[int]:
        session = self.match.match_state.session
        board = [] if session is None else [card for card in session.slots if card >= 0]
        sets = find_sets_among(board)
        if sets and self.chance.random() < 0.8:
            return list(self.chance.choice(sets))
        return self.chance.sample(board if len(board) > 2 and self.chance.random() < 0.7 else range(81), 3)
