"""A match driven as bytes: each call is made twice and must have the same result."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from match_handler.match.context import Moment, Presence
from match_handler.match.inputs import Input
from match_handler.match.match import Match
from match_handler.match.seating import Leave, LeaveReason
from match_handler.match.step import Step
from match_handler.protocol.options import parse_options
from tests.proof.model import Terms

MATCH_ID = "match"
NEVER_IDLE = 0


@dataclass(frozen=True)
class Claim:
    """Three cards, or an invalid list of cards."""

    seat: int
    cards: list[int]
    tick: int
    received_ms: int


class MatchDriver:
    """A match whose users are named after their seats."""

    def __init__(self, terms: Terms, seed: int, now_ms: int) -> None:
        options = parse_options(_options(terms, seed), allow_seed=True)
        self.now_ms = now_ms
        self.over = False
        self.session_of: dict[int, int] = {}
        self._claims = 0
        self._last_session = 0
        created = Match.create(MATCH_ID, options, 0, bytes(24), [], idle_ms=NEVER_IDLE)
        self._state = created.step().state
        for seat in range(terms.seats):
            self.join(seat)

    def join(self, seat: int) -> None:
        """Join a user on a new connection."""
        self._last_session += 1
        self.session_of[seat] = self._last_session
        self._twice(lambda match: match.join([self._presence(seat, self._last_session)]))

    def leave(self, seat: int, reason: LeaveReason) -> None:
        """End the connection of a user."""
        self.end(seat, self.session_of.pop(seat), reason)

    def end(self, seat: int, session: int, reason: LeaveReason) -> None:
        """End any connection, which may be an old one."""
        leave = Leave(self._presence(seat, session), reason, self.now_ms)
        self._twice(lambda match: match.loop([], [leave]))

    def loop(self, claims: Sequence[Claim]) -> list[str]:
        """Run a MatchLoop with these claims; return the verdicts in the order of the responses."""
        inputs = [self._input(claim) for claim in claims]
        step = self._twice(lambda match: match.loop(inputs, []))
        return [verdict for sent in step.broadcasts if (verdict := _verdict_of(json.loads(sent.data)))]

    def snapshot(self) -> dict[str, Any]:
        """Return the snapshot of a spectator."""
        match = self._restored()
        return dict(json.loads(match.signal("snapshot")))

    def _presence(self, seat: int, session: int) -> Presence:
        return Presence(f"user-{seat}", f"session-{session}", f"user-{seat}")

    def _input(self, claim: Claim) -> Input:
        self._claims += 1
        session = self.session_of.get(claim.seat, 0)
        data = json.dumps({"claimId": f"claim-{self._claims}", "cardIds": claim.cards}).encode()
        sender = (f"user-{claim.seat}", f"session-{session}")
        return Input(claim.tick, claim.received_ms, claim.received_ms, *sender, 1, data)

    def _restored(self) -> Match:
        return Match.restore(MATCH_ID, self._state, Moment(self.now_ms, self.now_ms))

    def _twice(self, act: Callable[[Match], object]) -> Step:
        """Run a call twice, as for a retry after a lost response."""
        steps = [self._once(act) for _ in range(2)]
        assert steps[0] == steps[1]
        self._state, self.over = steps[0].state, steps[0].end
        return steps[0]

    def _once(self, act: Callable[[Match], object]) -> Step:
        match = self._restored()
        act(match)
        return match.step()


def _verdict_of(verdict: dict[str, Any]) -> str | None:
    """Return the verdict on a claim, or None for any other message."""
    if "claimId" not in verdict:
        return None
    if verdict.get("valid"):
        return "VALID"
    reason = verdict["reason"].removeprefix("CLAIM_REASON_")
    return verdict["mixedAttribute"].removeprefix("ATTRIBUTE_") if reason == "NOT_A_SET" else str(reason)


def _options(terms: Terms, seed: int) -> bytes:
    animation = {
        "validSet": terms.valid_ms,
        "refill": terms.refill_ms,
        "invalidSet": terms.invalid_ms,
        "expandBoard": terms.expand_ms,
    }
    options: dict[str, object] = {
        "maxPlayers": terms.seats,
        "minPlayers": terms.seats,
        "timeLimitSeconds": (terms.limit_ms or 0) // 1000,
        "penalty": terms.penalty,
        "timePenaltySeconds": terms.time_penalty_ms // 1000,
        "penalizeStaleClaims": terms.penalize_stale,
        "tieBreakFewestInvalid": terms.fewest_invalid_wins,
        "reconnectWindowSeconds": terms.window_ms // 1000,
        "animationMs": animation,
        "claimOrder": "ARRIVAL" if terms.on_arrival else "TICK",
        "seed": seed,
    }
    return json.dumps(options).encode()
