"""The phases of a claim: measured on valid claims of different matches, with a consistent sum."""

import random

import pytest

from match_handler.v1 import match_handler_pb2 as pb
from tests.perf import phases


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, float]]:
    return phases.measure(matches=8, rounds=1)


def test_every_phase_is_timed_in_every_way(found: dict[str, dict[str, float]]) -> None:
    assert list(found) == [*phases.PHASES, "all"]
    assert all(list(row) == ["again", "in turn", "cold"] for row in found.values())
    assert all(spent > 0 for row in found.values() for spent in row.values())


def test_judge_phase_is_less_than_the_total(found: dict[str, dict[str, float]]) -> None:
    assert all(found["judge"][way] < found["all"][way] for way in ("again", "in turn", "cold"))


def test_claims_are_from_matches_in_different_states() -> None:
    chance = random.Random(1)
    requests = [pb.MatchLoopRequest.FromString(phases.claim_of_a_match(chance)) for _ in range(4)]

    assert len({request.state for request in requests}) == 4
    assert all(len(request.inputs) == 1 for request in requests)


def test_rejected_claim_is_not_measured() -> None:
    request = pb.MatchLoopRequest.FromString(phases.claim_of_a_match(random.Random(1)))
    request.inputs[0].data = b"{}"

    with pytest.raises(AssertionError):
        phases.phases_us([request.SerializeToString()])
