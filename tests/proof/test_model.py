"""State machine test: a match, driven as bytes, against the model, with outages and clock jumps."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from match_handler.match.seating import LeaveReason
from set_core import Deck
from tests.proof.driver import Claim, MatchDriver
from tests.proof.ledger import Tries
from tests.proof.model import Model, Seat, Terms, attributes, sets_among

TICK_MS = 50
RATE, RATE_MS = 30, 1_000
PICKS = st.integers(0, 10_000)
SEATS = st.integers(0, 2)
WAITS_MS = st.sampled_from(
    [0, 1, 49, 50, 149, 150, 400, 699, 700, 701, 701, 5_000, 29_999, 30_000, 3_600_000]
)
TERMS = st.builds(
    Terms,
    seats=st.integers(1, 3),
    limit_ms=st.sampled_from([None, 10_000, 60_000]),
    penalty=st.sampled_from(["NONE", "POINT", "TIME"]),
    time_penalty_ms=st.sampled_from([1_000, 5_000]),
    penalize_stale=st.booleans(),
    on_arrival=st.booleans(),
    fewest_invalid_wins=st.booleans(),
    window_ms=st.sampled_from([0, 1_000, 30_000]),
    valid_ms=st.sampled_from([0, 400]),
    refill_ms=st.sampled_from([0, 300]),
    invalid_ms=st.sampled_from([0, 400]),
    expand_ms=st.sampled_from([0, 150]),
).filter(lambda terms: terms.penalty != "TIME" or terms.limit_ms is not None)
CLAIM = "a match equals an independent model of the rule texts in each step"
HOW = "Hypothesis state machine: claims, races, outages, clock jumps, joins, leaves; each call twice"


class AgainstTheModel(RuleBasedStateMachine):
    """One game; the match and the model receive the same events."""

    tries = Tries()

    @initialize(terms=TERMS, seed=st.integers(1, 2**31 - 1))
    def begin(self, terms: Terms, seed: int) -> None:
        self.match = MatchDriver(terms, seed, now_ms=1_000)
        self.model = Model(terms, list(Deck(seed).order), now_ms=1_000)
        self.tick = 0
        self.rates: dict[int, tuple[int, int]] = {}

    @rule(after_ms=WAITS_MS)
    def wait(self, after_ms: int) -> None:
        """Advance the time, by an hour for a machine that slept; a closed match receives no calls."""
        if not self.match.over:
            self.match.now_ms += after_ms
            self._loop([])

    @precondition(lambda self: not self.match.over)
    @rule(seat=SEATS, pick=PICKS, after_ms=WAITS_MS, late_ms=st.integers(0, TICK_MS))
    def claim(self, seat: int, pick: int, after_ms: int, late_ms: int) -> None:
        """Send a claim that is drained a little after it was received."""
        self.match.now_ms += after_ms
        self._loop([self._claim(seat, pick, late_ms=late_ms)])

    @precondition(lambda self: not self.match.over)
    @rule(
        one=SEATS, other=SEATS, picks=st.tuples(PICKS, PICKS), after_ms=WAITS_MS, apart_ms=st.integers(0, 1)
    )
    def race(self, one: int, other: int, picks: tuple[int, int], after_ms: int, apart_ms: int) -> None:
        """Send two claims in one tick: ordered by user id (decision D1) or by arrival (decision D14)."""
        self.wait(after_ms)
        claims = [self._claim(one, picks[0], late_ms=apart_ms), self._claim(other, picks[1])]
        by_user = sorted(claims, key=lambda claim: claim.seat)
        self._loop(claims, order=claims if self.model.terms.on_arrival else by_user)

    @precondition(lambda self: not self.match.over)
    @rule(seats=st.lists(SEATS, min_size=2, max_size=4), pick=PICKS, after_ms=WAITS_MS)
    def outage(self, seats: list[int], pick: int, after_ms: int) -> None:
        """Send claims of several ticks that were queued in an outage, while the match clock was stopped."""
        self.wait(after_ms)
        claims = []
        for number, seat in enumerate(seats):
            self.tick += 1
            claims.append(self._claim(seat, pick + number))
        self._loop(claims)

    @precondition(lambda self: self.model.reason is None)
    @rule(seat=SEATS, intended=st.booleans())
    def leave(self, seat: int, intended: bool) -> None:  # noqa: FBT001 - drawn by Hypothesis
        seat = seat % len(self.model.seats)
        if seat not in self.match.session_of:
            return
        self.match.leave(seat, LeaveReason.LEFT if intended else LeaveReason.DISCONNECTED)
        if not intended:
            self.model.lose(self.model.seats[seat])
        elif not self.model.seats[seat].forfeited:
            self.model.forfeit([self.model.seats[seat]])

    @precondition(lambda self: self.model.reason is None)
    @rule(seat=SEATS, old_leaves=st.booleans())
    def join(self, seat: int, old_leaves: bool) -> None:  # noqa: FBT001 - drawn by Hypothesis
        """Rejoin in time, on a second connection or too late; an old connection leaves later or never."""
        seat = seat % len(self.model.seats)
        old = self.match.session_of.get(seat)
        self.match.join(seat)
        self.model.seats[seat].reconnect_by_ms = None
        self.rates.pop(seat, None)
        if old_leaves and old is not None:
            self.match.end(seat, old, LeaveReason.LEFT)

    @invariant()
    def match_equals_the_model(self) -> None:
        snapshot, model = self.match.snapshot(), self.model
        assert snapshot["phase"] == f"PHASE_{model.phase}"
        assert [slot.get("cardId") for slot in snapshot["slots"]] == model.slots
        assert snapshot["cardsRemaining"] == len(model.deck)
        assert [_visible(player) for player in snapshot["players"]] == [self._known(s) for s in model.seats]
        assert ("results" in snapshot) == (model.reason is not None)
        if model.reason is not None:
            self._compare(snapshot["results"])
        self.tries()

    @invariant()
    def no_card_is_lost(self) -> None:
        """Check that each attribute of board and deck sums to a multiple of 3 and that no card is lost."""
        held = self.model.board + self.model.deck
        assert all(sum(attributes(card)[place] for card in held) % 3 == 0 for place in range(4))
        assert len(held) + 3 * sum(seat.collected for seat in self.model.seats) == 81

    def _compare(self, results: dict[str, Any]) -> None:
        winners = self.model.winners
        ranks = {line["player"]["seat"]: line["rank"] for line in results["standings"]}
        assert results["reason"] == f"END_REASON_{self.model.reason}"
        assert [ranks[seat] for seat in range(len(self.model.seats))] == self.model.ranks()
        assert results.get("winnerSeat") == (winners[0] if len(winners) == 1 else None)
        assert results["draw"] == (len(winners) > 1)
        assert results["durationMs"] == self.model.ended_ms - self.model.started_ms

    def _known(self, seat: Seat) -> tuple[object, ...]:
        reconnect_by_ms = seat.reconnect_by_ms if self.model.reason is None else None
        tally = (seat.score, seat.collected, seat.invalid, seat.forfeited)
        return (*tally, self.model.clock_ms(seat), reconnect_by_ms)

    def _claim(self, seat: int, pick: int, late_ms: int = 0) -> Claim:
        cards = self._cards(pick)
        return Claim(seat % len(self.model.seats), cards, self.tick, self.match.now_ms - late_ms)

    def _cards(self, pick: int) -> list[int]:
        """Return mostly a Set on the board, otherwise cards on the board, any cards, or an invalid list."""
        board = self.model.board
        found = sets_among(board)
        if pick % 8 < 5 and found:
            return list(found[pick % len(found)])
        if pick % 8 < 7 and len(board) >= 3:
            triples = list(combinations(board, 3))
            return list(triples[pick % len(triples)])
        return [pick % 81, (pick * 7 + 1) % 81, (pick * 13 + 5) % 82][: 2 + pick % 5]

    def _loop(self, claims: list[Claim], order: list[Claim] | None = None) -> None:
        received = self.match.loop(claims)
        verdicts = [self._judged(claim) for claim in (claims if order is None else order)]
        self.model.advance(self.match.now_ms)
        self.tick += 1
        assert received == [verdict for verdict in verdicts if verdict is not None]

    def _judged(self, claim: Claim) -> str | None:
        """Return the verdict of the model, or None when the sender is not connected."""
        model, drained_ms = self.model, self.match.now_ms
        model.advance(model.judged_at(claim.received_ms, drained_ms))
        if claim.seat not in self.match.session_of:
            return None
        if model.closed:
            return "MATCH_OVER"
        start_ms, count = self.rates.get(claim.seat, (-RATE_MS, 0))
        new_window = not 0 <= claim.received_ms - start_ms < RATE_MS
        self.rates[claim.seat] = (claim.received_ms, 1) if new_window else (start_ms, count + 1)
        if self.rates[claim.seat][1] > RATE:
            return "RATE_LIMITED"
        if not _is_well_formed(claim.cards):
            return "MALFORMED"
        return model.claim(model.seats[claim.seat], claim.cards, claim.received_ms, drained_ms)


def _is_well_formed(cards: list[int]) -> bool:
    return len(cards) == 3 and len(set(cards)) == 3 and max(cards) <= 80


def _visible(player: dict[str, Any]) -> tuple[object, ...]:
    tally = (player["score"], player["setsCollected"], player["invalidAttempts"])
    forfeited = player["status"] == "PLAYER_STATUS_FORFEITED"
    return (*tally, forfeited, player.get("timeRemainingMs"), player.get("reconnectDeadlineMs"))


def _run(examples: int, tried: Tries) -> None:
    AgainstTheModel.tries = tried
    patient = settings(
        max_examples=examples,
        stateful_step_count=60,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    run_state_machine_as_test(AgainstTheModel, settings=patient)


@pytest.mark.claim(CLAIM, HOW)
def test_match_equals_the_model(tried: Tries) -> None:
    _run(25, tried)


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.claim(CLAIM, HOW)
def test_hundreds_of_matches_equal_the_model(tried: Tries) -> None:
    _run(300, tried)
