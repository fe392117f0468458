"""People at a match who do anything at any time: come, go, claim, ask, watch, send nonsense."""

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
NONSENSE = (b"", b"[]", b"{", b'{"claimId": "x", "cardIds": [1, 1, 2]}', b"\xff\xfe", b'{"seat": 9}')
WAITS_MS = (1, 50, 200, 700, 3_000, 31_000)


class Crowd:
    """Acts on a match by chance; counts what it was told, by op code."""

    def __init__(self, match: ShadowedMatch, chance: random.Random) -> None:
        self.match = match
        self.chance = chance
        self.now_ms = 0
        self.over = False
        self.told: Counter[str] = Counter()
        self._present: dict[str, Presence] = {}
        self._comings: Counter[str] = Counter()
        self._claims = 0

    def act(self) -> None:
        """One call, of any kind."""
        kinds: list[Callable[[], None]] = [self._come, self._go, self._wait, self._signal, self._say]
        self.chance.choices(kinds, (3, 1, 4, 1, 16))[0]()

    def _call(self, act: Callable[[Match], object]) -> object:
        answer, step = self.match.call(act, self.now_ms)
        self._hear(step)
        return answer

    def _hear(self, step: Step) -> None:
        self.over = step.end
        self.told.update(sent.op_code.name for sent in step.broadcasts)

    def _come(self) -> None:
        user = self.chance.choice(USERS)
        self._comings[user] += 1
        presence = Presence(user, f"{user}/{self._comings[user]}", user)
        metadata = {"spectate": "true"} if self.chance.random() < 0.2 else {}
        refusal = self._call(lambda match: match.join_attempt(presence, metadata))
        self.told["allowed" if refusal is None else f"refused: {refusal}"] += 1
        if refusal is None and not self.over and self.chance.random() < 0.95:
            self._call(lambda match: match.join([presence]))
            self._present[presence.session_id] = presence

    def _go(self) -> None:
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
        self.told["signal"] += 1

    def _say(self) -> None:
        if self._present:
            self.now_ms += self.chance.choice((50, 400, 750))
            inputs = [self._input() for _ in range(self.chance.choice((1, 1, 1, 2, 3)))]
            self._call(lambda match: match.loop(inputs, []))

    def _input(self) -> Input:
        presence = self._present[self.chance.choice(sorted(self._present))]
        op_code, data = self._message(presence.session_id)
        tick = self.now_ms // 50
        return Input(
            tick, self.now_ms - 1, self.now_ms - 1, presence.user_id, presence.session_id, op_code, data
        )

    def _message(self, session_id: str) -> tuple[int, bytes]:
        if self.chance.random() < 0.08:
            return self.chance.randint(0, 8), self.chance.choice(NONSENSE)
        others = [OpCode.SYNC, OpCode.READY, OpCode.REMATCH, OpCode.HINT, OpCode.EXTEND]
        if self.chance.random() < 0.25:
            return self.chance.choice(others), b"{}"
        return OpCode.CLAIM, self._claim(session_id)

    def _claim(self, session_id: str) -> bytes:
        self._claims += 1
        claim: dict[str, object] = {"claimId": f"c{self._claims}", "cardIds": self._cards()}
        state = self.match.inside
        seats = [seat for seat, held in enumerate(state.seats) if held.session_id == session_id]
        if len(seats) > 1:
            claim["seat"] = self.chance.choice(seats)
        return json.dumps(claim).encode()

    def _cards(self) -> list[int]:
        session = self.match.inside.session
        board = [] if session is None else [card for card in session.slots if card >= 0]
        sets = find_sets_among(board)
        if sets and self.chance.random() < 0.8:
            return list(self.chance.choice(sets))
        return self.chance.sample(board if len(board) > 2 and self.chance.random() < 0.7 else range(81), 3)
