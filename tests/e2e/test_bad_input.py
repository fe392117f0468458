"""Malformed, forbidden and repeated messages of players, and invalid options."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from demo.client.sets import a_non_set
from demo.client.vocabulary import Op, Reason
from tests.support.snapshots import without_times

if TYPE_CHECKING:
    from demo.client.player import Player
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

INVALID_ARGUMENT = 3
LARGEST_FRAME = 4096
NOISE = random.Random(4096).randbytes(2900)

MALFORMED_CLAIMS: dict[str, bytes] = {
    "nothing": b"",
    "half an object": b"{",
    "a list": b"[]",
    "null": b"null",
    "a number": b"17",
    "not json": b"claim 1 2 3",
    "invalid utf-8": b'{"claimId": "\xff\xfe", "cardIds": [0, 1, 2]}',
    "noise that fills a frame": NOISE,
    "two objects": b'{"claimId": "a", "cardIds": [0, 1, 2]} {}',
    "deep nesting": b"[" * 1400 + b"]" * 1400,
    "no cards": b'{"claimId": "a"}',
    "no id": b'{"cardIds": [0, 1, 2]}',
    "an empty id": b'{"claimId": "", "cardIds": [0, 1, 2]}',
    "a long id": json.dumps({"claimId": "x" * 65, "cardIds": [0, 1, 2]}).encode(),
    "a number as id": b'{"claimId": 7, "cardIds": [0, 1, 2]}',
    "null as id": b'{"claimId": null, "cardIds": [0, 1, 2]}',
    "two cards": b'{"claimId": "a", "cardIds": [0, 1]}',
    "four cards": b'{"claimId": "a", "cardIds": [0, 1, 2, 3]}',
    "a thousand cards": json.dumps({"claimId": "a", "cardIds": [0] * 900}).encode(),
    "one card twice": b'{"claimId": "a", "cardIds": [5, 5, 6]}',
    "one card three times": b'{"claimId": "a", "cardIds": [5, 5, 5]}',
    "a card below 0": b'{"claimId": "a", "cardIds": [-1, 0, 1]}',
    "a card above 80": b'{"claimId": "a", "cardIds": [79, 80, 81]}',
    "a huge card": b'{"claimId": "a", "cardIds": [0, 1, 99999999999999999999999999]}',
    "a fraction": b'{"claimId": "a", "cardIds": [0, 1, 2.5]}',
    "truth values": b'{"claimId": "a", "cardIds": [true, false, true]}',
    "words": b'{"claimId": "a", "cardIds": ["0", "1", "2"]}',
    "null as cards": b'{"claimId": "a", "cardIds": null}',
    "an object as cards": b'{"claimId": "a", "cardIds": {"0": 1}}',
    "lists as cards": b'{"claimId": "a", "cardIds": [[0], [1], [2]]}',
    "a word as seat": b'{"claimId": "a", "cardIds": [0, 1, 2], "seat": "0"}',
    "a field too many": b'{"claimId": "a", "cardIds": [0, 1, 2], "score": 99}',
}
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


def idle_players(room: Room) -> tuple[Player, Player]:
    """Return two players whose claims are accepted, so that no timer changes the match."""
    players = room.two()
    for player in players:
        player.wait_until_idle()
    return players


def assert_valid_claim(player: Player) -> None:
    """Check that a player can claim a Set."""
    result = player.wait_for_answer(player.claim_set())
    assert isinstance(result, wire.ClaimResult)
    assert result.valid


@pytest.mark.fault("F4")
@pytest.mark.thread(14)
def test_malformed_claim_is_rejected_and_changes_nothing(room: Room) -> None:
    players = idle_players(room)
    for data in MALFORMED_CLAIMS.values():
        assert_rejected(players, Op.CLAIM, data, Reason.MALFORMED)


def test_forbidden_op_code_is_rejected(room: Room) -> None:
    players = idle_players(room)
    for op_code in (*UNKNOWN_OP_CODES, *MATCH_OP_CODES):
        assert_rejected(players, op_code, b"{}", Reason.MALFORMED)


def test_noise_is_rejected_under_every_op_code(room: Room) -> None:
    players = idle_players(room)
    for op_code in Op:
        assert_rejected(players, op_code, NOISE, Reason.MALFORMED)


def test_message_is_rejected_in_the_wrong_phase(room: Room) -> None:
    players = idle_players(room)
    for op_code in (Op.READY, Op.REMATCH, Op.EXTEND):
        assert_rejected(players, op_code, b"{}", Reason.NOT_ALLOWED)
    assert_rejected(players, Op.KICK, b'{"userId": "a"}', Reason.NOT_ALLOWED)


def test_claim_for_the_seat_of_another_player_is_rejected(room: Room) -> None:
    players = idle_players(room)
    claim = {"claimId": "a", "cardIds": players[0].first_set(), "seat": players[1].seat}
    assert_rejected(players, Op.CLAIM, json.dumps(claim).encode(), Reason.WRONG_SEAT)


@pytest.mark.thread(14)
def test_claim_before_the_start_is_rejected(room: Room) -> None:
    alone = room.sit(room.match())
    answer = alone.wait_for_answer(alone.claim([0, 1, 2]))
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.NOT_STARTED


def test_claim_during_a_lock_of_the_board_is_rejected(room: Room) -> None:
    players = room.two(animationMs={"validSet": 5000, "refill": 5000})
    one, other = players
    one.wait_for_answer(one.claim_set())
    other.sync()
    claim = {"claimId": "early", "cardIds": other.model.sets[0] if other.model.sets else [0, 1, 2]}
    assert_rejected((other, one), Op.CLAIM, json.dumps(claim).encode(), Reason.LOCKED)


@pytest.mark.fault("F16")
def test_invalid_claim_locks_only_the_claimant(room: Room) -> None:
    one, other = room.two(animationMs={"invalidSet": 5000, "validSet": 60, "refill": 40, "expandBoard": 40})
    one.wait_until_idle()
    result = one.wait_for_answer(one.claim_non_set())
    assert isinstance(result, wire.ClaimResult)
    assert result.reason == Reason.NOT_A_SET
    rejected = one.wait_for_answer(one.claim(a_non_set(one.model.board)))
    assert isinstance(rejected, wire.ClaimRejected)
    assert rejected.reason == Reason.LOCKED
    other.wait_until_idle()
    assert_valid_claim(other)


@pytest.mark.fault("F26")
@pytest.mark.thread(14)
def test_duplicate_claim_has_one_result(room: Room) -> None:
    one, other = room.two()
    one.wait_until_idle()
    cards = one.first_set()
    for _ in range(2):
        one.claim(cards, "the same")
    assert isinstance(one.wait_for_answer("the same"), wire.ClaimResult)
    assert one.wait_for(wire.ClaimRejected).reason == Reason.DUPLICATE
    assert one.score == 1
    other.sync()
    assert len(other.answers_to("the same")) == 1


@pytest.mark.fault("F25")
def test_rate_limit_applies_to_the_sender_only(room: Room) -> None:
    one, other = room.two()
    for _ in range(60):
        one.send(Op.CLAIM, b"{}")
    reasons = [one.wait_for(wire.ClaimRejected).reason for _ in range(60)]
    assert set(reasons) == {Reason.MALFORMED, Reason.RATE_LIMITED}
    other.wait_until_idle()
    assert_valid_claim(other)


def test_oversized_frame_disconnects_only_its_sender(room: Room) -> None:
    one, other = room.two()
    one.send(Op.CLAIM, b"x" * LARGEST_FRAME)
    with pytest.raises(ConnectionError):
        one.wait_for(wire.ClaimRejected)
    other.wait_for(wire.PlayerChanged)
    assert_valid_claim(other)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"maxPlayers": 0}, "maxPlayers"),
        ({"maxPlayers": 9}, "maxPlayers"),
        ({"maxPlayers": "2"}, "maxPlayers"),
        ({"maxPlayers": True}, "maxPlayers"),
        ({"maxPlayers": 2, "minPlayers": 3}, "minPlayers"),
        ({"mode": "CHESS"}, "mode"),
        ({"mode": 1}, "mode"),
        ({"timeLimitSeconds": -1}, "timeLimitSeconds"),
        ({"timeLimitSeconds": 1.5}, "timeLimitSeconds"),
        ({"penalty": "PENALTY_TIME"}, "penalty"),
        ({"penalty": "DEATH"}, "penalty"),
        ({"timePenaltySeconds": 0}, "timePenaltySeconds"),
        ({"reconnectWindowSeconds": 3601}, "reconnectWindowSeconds"),
        ({"animationMs": {"validSet": 10_001}}, "validSet"),
        ({"animationMs": {"spin": 1}}, "spin"),
        ({"animationMs": 400}, "animationMs"),
        ({"bots": [{"level": "GOD"}]}, "level"),
        ({"bots": 3}, "bots"),
        ({"localPlayers": ["a", "b"]}, "localPlayers"),
        ({"mode": "PASS_AND_PLAY"}, "localPlayers"),
        ({"seed": -1}, "seed"),
        ({"speed": 2}, "speed"),
    ],
    ids=str,
)
@pytest.mark.thread(11)
def test_error_names_the_invalid_option(room: Room, options: dict[str, Any], field: str) -> None:
    for rpc in ("set_create_match", "set_find_match"):
        with pytest.raises(NakamaError) as error:
            room.user().rpc(rpc, options)
        assert error.value.code == INVALID_ARGUMENT
        assert field in error.value.reason


@pytest.mark.parametrize(
    "payload", ["[]", "17", "null", '"x"', "{", "{} {}", "x" * 5000], ids=lambda text: text[:8]
)
def test_options_must_be_a_json_object(room: Room, payload: str) -> None:
    for rpc in ("set_create_match", "set_find_match"):
        with pytest.raises(NakamaError) as error:
            room.user().rpc(rpc, payload)
        assert error.value.code == INVALID_ARGUMENT
