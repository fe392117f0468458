"""Plays the matches of golden files: reads moves and writes all output.

A move is a line `> TIME_MS WHAT`; a line with `>&` belongs to the call of the line before. A call has the
time of its last line, and each message the time of its own line. WHAT is:

    create OPTIONS          ann creates the match (its unix time is the first day of the golden files)
    NAME comes [spectate|invited]
                            a join attempt, and the join if it is allowed; each is a new connection
    NAME tries              a join attempt alone
    NAME arrives            a join alone, of the last attempt or without an allowed attempt
    NAME leaves | drops     the connection leaves, intended or lost
    NAME CLAIM ID CARDS..   a claim, with `seat=N` at the end if one connection has several seats
    NAME KICK USER          removes a user
    NAME SYNC ...           any other message by its name
    NAME bytes OP TEXT      any bytes
    wait                    a tick without messages
    signal WORD, terminate  commands of servers
    inject SLOTS / UNDEALT  sets a board and a deck that a valid deck cannot produce
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from match_handler.match.context import Moment, Presence
from match_handler.match.inputs import Input
from match_handler.match.match import Match
from match_handler.match.seating import Leave, LeaveReason
from match_handler.match.state import decode_state, encode_state
from match_handler.match.step import Effect, Step, StorageWrite
from match_handler.protocol.options import parse_options
from match_handler.protocol.payloads import OpCode
from set_core import SetValidator
from set_core.board import EMPTY
from set_core.notation import parse_board, parse_cards
from tests.golden.rendering import rendered

MATCH_ID = "match"
FIRST_DAY_MS = 1_795_910_400_000
TICK_MS = 50
RANDOM_SEED = 2026


@dataclass
class Move:
    """One line of a golden file that starts with `>`."""

    now_ms: int
    words: list[str]
    joined: bool


def parse_move(line: str) -> Move:
    """Parse a move."""
    mark, now_ms, *words = line.split()
    return Move(int(now_ms), words, mark == ">&")


@dataclass
class GoldenMatch:
    """Plays moves; keeps the state as bytes between two calls."""

    state: bytes = b""
    attempts: Counter[str] = field(default_factory=Counter)

    def play(self, moves: Sequence[Move]) -> list[str]:
        """Run the moves of one call and return the output."""
        first = moves[0]
        if first.words[0] in _SERVER_MOVES:
            return _SERVER_MOVES[first.words[0]](self, first)
        if first.words[1] in _PRESENCE_MOVES:
            return _PRESENCE_MOVES[first.words[1]](self, first)
        return self._loop([self._input(move) for move in moves], moves[-1].now_ms)

    def create(self, move: Move) -> list[str]:
        """Run MatchInit."""
        options = parse_options(" ".join(move.words[1:]).encode(), allow_seed=True)
        entropy = RANDOM_SEED.to_bytes(8) + bytes(16)
        return self._finish(Match.create(MATCH_ID, options, FIRST_DAY_MS, entropy, [], creator_id="ann"))

    def wait(self, move: Move) -> list[str]:
        """Run MatchLoop without input."""
        return self._loop([], move.now_ms)

    def signal(self, move: Move) -> list[str]:
        """Run MatchSignal."""
        match = self._restored(move.now_ms)
        answer = json.loads(match.signal(" ".join(move.words[1:])))
        return [*rendered("answer", answer), *self._finish(match)]

    def terminate(self, move: Move) -> list[str]:
        """Run MatchTerminate."""
        match = self._restored(move.now_ms)
        match.terminate()
        return self._finish(match)

    def inject(self, move: Move) -> list[str]:
        """Replace board and deck of the running game, which checks the new board when the lock ends."""
        slots, _, undealt = " ".join(move.words[1:]).partition("/")
        state = decode_state(self.state)
        assert state.session is not None
        board = [card for card in parse_board(slots) if card is not None]
        state.session.slots = [EMPTY if card is None else card.id for card in parse_board(slots)]
        rest = bytes(card.id for card in parse_cards(undealt))
        state.session.order, state.session.drawn = bytes(81 - len(rest)) + rest, 81 - len(rest)
        state.session.expansion_due = not SetValidator().any_set_exists(board)
        state.session.locked_until_ms = move.now_ms + 1
        self.state = encode_state(state)
        return []

    def comes(self, move: Move) -> list[str]:
        """Run MatchJoinAttempt and MatchJoin."""
        lines = self.tries(move)
        if lines and lines[0].startswith("refused"):
            return lines
        return [*lines, *self.arrives(move)]

    def tries(self, move: Move) -> list[str]:
        """Run MatchJoinAttempt."""
        self.attempts[move.words[0]] += 1
        match = self._restored(move.now_ms)
        values = {"spectate": "true", "invitation": match.invitation}
        keys = {"spectate": "spectate", "invited": "invitation"}
        metadata = {keys[word]: values[keys[word]] for word in move.words[2:]}
        refusal = match.join_attempt(self._presence(move.words[0]), metadata)
        lines = [] if refusal is None else [f"refused: {refusal}"]
        return [*lines, *self._finish(match)]

    def arrives(self, move: Move) -> list[str]:
        """Run MatchJoin."""
        match = self._restored(move.now_ms)
        match.join([self._presence(move.words[0])])
        return self._finish(match)

    def leaves(self, move: Move) -> list[str]:
        """Report an intended leave."""
        return self._leave(move, LeaveReason.LEFT)

    def drops(self, move: Move) -> list[str]:
        """Report a lost connection."""
        return self._leave(move, LeaveReason.DISCONNECTED)

    def _leave(self, move: Move, reason: LeaveReason) -> list[str]:
        return self._loop([], move.now_ms, Leave(self._presence(move.words[0]), reason, move.now_ms))

    def _presence(self, name: str) -> Presence:
        user, slash, _ = name.partition("/")
        return Presence(user, name if slash else f"{user}/{self.attempts[user]}", user.capitalize())

    def _input(self, move: Move) -> Input:
        name, kind, *rest = move.words
        presence = self._presence(name)
        op_code, data = _message(kind, rest)
        tick = move.now_ms // TICK_MS
        return Input(
            tick,
            move.now_ms,
            FIRST_DAY_MS + move.now_ms,
            presence.user_id,
            presence.session_id,
            op_code,
            data,
        )

    def _loop(self, inputs: list[Input], now_ms: int, *leaves: Leave) -> list[str]:
        match = self._restored(now_ms)
        match.loop(inputs, leaves)
        return self._finish(match)

    def _restored(self, now_ms: int) -> Match:
        return Match.restore(MATCH_ID, self.state, Moment(now_ms, FIRST_DAY_MS + now_ms))

    def _finish(self, match: Match) -> list[str]:
        step = match.step()
        self.state = step.state
        return _output_of(step)


def _message(kind: str, rest: list[str]) -> tuple[int, bytes]:
    if kind == "bytes":
        return int(rest[0]), " ".join(rest[1:]).encode()
    if kind == "KICK":
        return OpCode.KICK, json.dumps({"userId": rest[0]}).encode()
    if kind != "CLAIM":
        return OpCode[kind], b"{}"
    cards = parse_cards(" ".join(word for word in rest[1:] if not word.startswith("seat=")))
    claim: dict[str, object] = {"claimId": rest[0], "cardIds": [card.id for card in cards]}
    if rest[-1].startswith("seat="):
        claim["seat"] = int(rest[-1].removeprefix("seat="))
    return OpCode.CLAIM, json.dumps(claim).encode()


def _output_of(step: Step) -> list[str]:
    lines = []
    for sent in step.broadcasts:
        to = "all" if sent.audience is None else ",".join(sent.audience)
        lines += rendered(f"{to} <- {sent.op_code.name}", json.loads(sent.data))
    lines += [] if step.label is None else rendered("label", json.loads(step.label))
    lines += [f"kick {session}" for session in step.kicks]
    lines += [line for effect in step.effects for line in _effect(effect)]
    lines += [f"log {line.decode()}" for line in step.log]
    lines += [] if step.wake_at_ms is None else [f"wake {step.wake_at_ms}"]
    return [*lines, "over"] if step.end else lines


def _effect(effect: Effect) -> list[str]:
    if isinstance(effect, StorageWrite):
        return rendered(f"store {effect.collection} {effect.key}", json.loads(effect.value))
    return [f"rank {effect.leaderboard_id} {effect.owner_id} {effect.score} {effect.subscore}"]


_SERVER_MOVES: dict[str, Callable[[GoldenMatch, Move], list[str]]] = {
    "create": GoldenMatch.create,
    "wait": GoldenMatch.wait,
    "signal": GoldenMatch.signal,
    "terminate": GoldenMatch.terminate,
    "inject": GoldenMatch.inject,
}
_PRESENCE_MOVES: dict[str, Callable[[GoldenMatch, Move], list[str]]] = {
    "comes": GoldenMatch.comes,
    "tries": GoldenMatch.tries,
    "arrives": GoldenMatch.arrives,
    "leaves": GoldenMatch.leaves,
    "drops": GoldenMatch.drops,
}
