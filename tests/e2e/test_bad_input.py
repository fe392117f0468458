"""Malformed, forbidden and repeated messages of players."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.vocabulary import Op, Reason
from tests.support.snapshots import without_times

if TYPE_CHECKING:
    from demo.client.player import Player
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

LARGEST_FRAME = 4096
MALFORMED_CLAIMS = (
    b"",
    b"{",
    random.Random(4096).randbytes(2900),  # fills a frame
    b'{"claimId": "\xff\xfe", "cardIds": [0, 1, 2]}',
    b"[" * 1400 + b"]" * 1400,
    b'{"claimId": "a", "cardIds": [5, 5, 5]}',
    b'{"claimId": "a", "cardIds": [79, 80, 81]}',
    b'{"claimId": "a", "cardIds": [0, 1, 2], "score": 99}',
)
"""One of each kind; `tests/match/test_payloads.py` has the others."""
UNKNOWN_OP_CODES = (-(2**63), -1, 0, 99, 2**31, 2**63 - 1)
MATCH_OP_CODES = tuple(op for op in Op if op >= Op.SNAPSHOT)


def assert_rejected(players: tuple[Player, Player], op_code: int, data: bytes, reason: Reason) -> None:
    """Check that only the sender receives a rejection, and that the match does not change."""
    sender, other = players
    before, _ = sync_both(players)
    received = len(other.messages)
    sender.send(op_code, data)
    assert sender.wait_for(wire.ClaimRejected).reason == reason
    after, _ = sync_both(players)
    assert without_times(after) == without_times(before)
    assert len(other.messages) == received + 1, "only the snapshot"


def sync_both(players: tuple[Player, Player]) -> list[wire.Snapshot]:
    """Return snapshots of both players, requested in the same tick."""
    for player in players:
        player.send(Op.SYNC, {})
    return [player.wait_for(wire.Snapshot) for player in players]


@pytest.mark.fault("F4")
@pytest.mark.thread(14)
def test_malformed_claim_is_rejected_and_changes_nothing(clients: Clients) -> None:
    players = clients.pair()
    for data in MALFORMED_CLAIMS:
        assert_rejected(players, Op.CLAIM, data, Reason.MALFORMED)


def test_forbidden_op_code_is_rejected(clients: Clients) -> None:
    players = clients.pair()
    for op_code in (*UNKNOWN_OP_CODES, *MATCH_OP_CODES):
        assert_rejected(players, op_code, b"{}", Reason.MALFORMED)


@pytest.mark.thread(14)
def test_claim_before_the_start_is_rejected(clients: Clients) -> None:
    alone = clients.join(clients.create_match())
    answer = alone.wait_for_answer(alone.claim([0, 1, 2]))
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.NOT_STARTED


@pytest.mark.fault("F26")
@pytest.mark.thread(14)
def test_duplicate_claim_has_one_result(clients: Clients) -> None:
    one, other = clients.pair()
    cards = one.first_set()
    for _ in range(2):
        one.claim(cards, "the same")
    assert isinstance(one.wait_for_answer("the same"), wire.ClaimResult)
    assert one.wait_for(wire.ClaimRejected).reason == Reason.DUPLICATE
    assert one.score == 1
    other.sync()
    assert len(other.answers_to("the same")) == 1


@pytest.mark.fault("F25")
def test_rate_limit_applies_to_the_sender_only(clients: Clients) -> None:
    one, other = clients.pair()
    for _ in range(60):
        one.send(Op.CLAIM, b"{}")
    reasons = [one.wait_for(wire.ClaimRejected).reason for _ in range(60)]
    assert set(reasons) == {Reason.MALFORMED, Reason.RATE_LIMITED}
    other.take_set()


def test_oversized_frame_disconnects_only_its_sender(clients: Clients) -> None:
    one, other = clients.pair()
    one.send(Op.CLAIM, b"x" * LARGEST_FRAME)
    with pytest.raises(ConnectionError):
        one.wait_for(wire.ClaimRejected)
    other.wait_for(wire.PlayerChanged)
    other.take_set()
