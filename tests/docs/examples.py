"""Examples of docs/protocol.md from matches played here; run as a module, it regenerates them.

An example follows a line `<!-- example: NAME -->`, as a block of JSON.
"""

import json
import re
from pathlib import Path
from typing import Any

from match_handler.match.context import Moment, Presence
from match_handler.match.inputs import Input
from match_handler.match.match import Match
from match_handler.match.seating import Leave, LeaveReason
from match_handler.match.step import Step
from match_handler.protocol.options import parse_options
from match_handler.protocol.payloads import OpCode
from set_core.validator import find_sets_among

PROTOCOL = Path(__file__).parents[2] / "docs" / "protocol.md"
EXAMPLE = re.compile(r"(<!-- example: (?P<name>\w+) -->\n```json\n)(?P<json>.*?)(\n```)", re.DOTALL)
ANN = Presence("0b7e6c5d-0000-4000-8000-00000000000a", "5e551000-0000-4000-8000-00000000000a", "Ann")
BOB = Presence("0b7e6c5d-0000-4000-8000-00000000000b", "5e551000-0000-4000-8000-00000000000b", "Bob")
MATCH_ID = "3f2b8a90-0000-4000-8000-000000000001.nakama1"
UNIX_MS = 1_796_000_000_000
TICK_MS = 50
TURN_MS = 2_000
WIDE = 600

Json = dict[str, Any]


class Play:
    """One scripted match; it collects the first message of every kind."""

    def __init__(self, options: Json) -> None:
        raw = json.dumps(options).encode()
        self.examples: dict[str, Json] = {}
        self.slots: dict[int, int | None] = {}
        self.now_ms = 0
        self._state = b""
        parsed = parse_options(raw, allow_seed=True)
        created = Match.create(MATCH_ID, parsed, UNIX_MS, bytes(24), [], creator_id=ANN.user_id)
        self._invitation = created.invitation
        self._apply(created)

    @property
    def board(self) -> list[int]:
        """Return the cards on the board."""
        return [card for _, card in sorted(self.slots.items()) if card is not None]

    @property
    def ended(self) -> bool:
        """Return whether the game has a result."""
        return "MATCH_ENDED" in self.examples

    def _keep(self, name: str, payload: Json) -> None:
        if name not in self.examples or name == "SNAPSHOT":
            self.examples[name] = payload

    def _apply(self, match: Match) -> Step:
        step = match.step()
        self._state = step.state
        if step.label is not None:
            self.examples["label"] = json.loads(step.label)
        for broadcast in step.broadcasts:
            payload = json.loads(broadcast.data)
            name = broadcast.op_code.name
            if broadcast.op_code is OpCode.CLAIM_RESULT:
                name += "_valid" if payload["valid"] else "_invalid"
            self._keep(name, payload)
            self._update_slots(broadcast.op_code, payload)
        return step

    def _update_slots(self, op_code: OpCode, payload: Json) -> None:
        if op_code in (OpCode.MATCH_STARTED, OpCode.CLAIM_RESULT, OpCode.BOARD_EXPANDED):
            for slot in payload["slots"]:
                self.slots[slot["index"]] = slot.get("cardId")

    def join(self, presence: Presence) -> None:
        """Join a user."""
        match = self._restored()
        assert match.join_attempt(presence, {"invitation": self._invitation}) is None
        match.join([presence])
        self._apply(match)

    def lose(self, presence: Presence) -> None:
        """Lose a connection."""
        match = self._restored()
        match.loop([], [Leave(presence, LeaveReason.DISCONNECTED, self.now_ms)])
        self._apply(match)

    def send(self, presence: Presence, op_code: OpCode, payload: Json) -> None:
        """Send a message in its own tick."""
        self._keep(op_code.name, payload)
        self.now_ms += TICK_MS
        tick = self.now_ms // TICK_MS
        data = json.dumps(payload).encode()
        message = Input(
            tick,
            self.now_ms,
            UNIX_MS + self.now_ms,
            presence.user_id,
            presence.session_id,
            op_code.value,
            data,
        )
        match = self._restored()
        match.loop([message], [])
        self._apply(match)

    def claim(self, presence: Presence, card_ids: list[int]) -> None:
        """Claim three cards."""
        claim = {"claimId": f"{presence.username.lower()}-{self.now_ms}", "cardIds": card_ids}
        self.send(presence, OpCode.CLAIM, claim)

    def first_set(self) -> list[int] | None:
        """Return the first Set on the board."""
        return next((list(found) for found in find_sets_among(self.board)), None)

    def wait(self) -> None:
        """Wait for the animations."""
        self.now_ms += TURN_MS
        match = self._restored()
        match.loop([], [])
        self._apply(match)

    def _restored(self) -> Match:
        return Match.restore(MATCH_ID, self._state, Moment(self.now_ms, UNIX_MS + self.now_ms))


def _invalid(board: list[int]) -> list[int]:
    sets = {frozenset(found) for found in find_sets_among(board)}
    triples = ([a, b, c] for a in board for b in board for c in board if a < b < c)
    return next(triple for triple in triples if frozenset(triple) not in sets)


def _two_players() -> dict[str, Json]:
    play = Play({"timeLimitSeconds": 600, "penalty": "TIME", "seed": 42})
    play.now_ms = 1_000
    play.join(ANN)
    play.join(BOB)
    play.now_ms += TURN_MS
    play.claim(BOB, _invalid(play.board))
    play.claim(BOB, play.first_set() or [])
    play.claim(ANN, play.first_set() or [])
    play.wait()
    play.lose(BOB)
    play.join(BOB)
    play.send(ANN, OpCode.SYNC, {})
    while not play.ended:
        found = play.first_set()
        if found is not None:
            play.claim(ANN, found)
        play.wait()
    play.send(ANN, OpCode.REMATCH, {})
    return play.examples


def _alone() -> dict[str, Json]:
    play = Play({"mode": "SINGLE_PLAYER", "hints": True, "seed": 7})
    play.join(ANN)
    play.send(ANN, OpCode.HINT, {})
    return play.examples


def _friends() -> dict[str, Json]:
    play = Play({"private": True})
    play.join(ANN)
    play.join(BOB)
    play.send(BOB, OpCode.EXTEND, {})
    play.send(ANN, OpCode.KICK, {"userId": BOB.user_id})
    return play.examples


def examples() -> dict[str, Json]:
    """Return an example of every message, by name."""
    return {**_friends(), **_alone(), **_two_players(), "READY": {}}


def _line(key: str, value: object) -> str:
    if isinstance(value, list) and len(json.dumps(value)) > WIDE and isinstance(value[0], dict):
        rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
        return f"  {json.dumps(key)}: [\n{rows}\n  ]"
    return f"  {json.dumps(key)}: {json.dumps(value)}"


def as_text(payload: Json) -> str:
    """Return a payload as in the document: one line per field, and one line per element of wide lists."""
    if not payload:
        return "{}"
    return "{\n" + ",\n".join(_line(key, value) for key, value in payload.items()) + "\n}"


def with_examples(text: str) -> str:
    """Return the document with current examples."""
    current = examples()
    return EXAMPLE.sub(lambda found: found[1] + as_text(current[found["name"]]) + found[4], text)


if __name__ == "__main__":
    PROTOCOL.write_text(with_examples(PROTOCOL.read_text()))
