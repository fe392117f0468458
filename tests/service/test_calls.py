"""Every RPC of the service on the real server (DESIGN section 4)."""

import json

import pytest

from match_handler.match.match import IDLE_MS
from match_handler.match.state import decode_state
from match_handler.protocol.payloads import OpCode
from match_handler.v1 import match_handler_pb2 as pb
from match_handler.v1.match_handler_pb2_grpc import MatchHandlerServiceStub
from set_core.validator import find_sets_among
from tests.service.served import Shim, ops


def board(shim: Shim) -> list[int]:
    session = decode_state(shim.step.state).session
    assert session is not None
    return session.slots


def claim(shim: Shim, claim_id: str = "c") -> bytes:
    return json.dumps({"claimId": claim_id, "cardIds": find_sets_among(board(shim))[0]}).encode()


def test_match_options_returns_complete_options_only(stub: MatchHandlerServiceStub) -> None:
    reply = stub.MatchOptions(pb.MatchOptionsRequest(options=b'{"maxPlayers":4,"bots":[{"level":"EASY"}]}'))
    complete = json.loads(reply.options)
    assert complete["maxPlayers"] == 4
    assert complete["mode"] == "MODE_ONLINE"
    assert reply.seats == 3
    again = stub.MatchOptions(pb.MatchOptionsRequest(options=reply.options))
    assert (again.options, again.key, again.seats) == (reply.options, reply.key, reply.seats)


def test_init_returns_everything_the_shim_needs(shim: Shim) -> None:
    reply = shim.init(b'{"maxPlayers":3}')
    assert (reply.tick_rate, reply.seats, reply.rescue_collection) == (20, 3, "set_rescue")
    label = json.loads(reply.step.label)
    assert (label["game"], label["open"], label["seats"]) == ("set", 1, 3)
    assert reply.step.wake_at_ms == 60_000
    assert json.loads(reply.notices.paused.data) == {"paused": True, "closed": False, "restarting": False}
    assert {code: json.loads(notice.data)["opCode"] for code, notice in reply.notices.overflow.items()} == {
        code: code for code in range(8)
    }
    assert not reply.step.end


def test_init_tells_the_shim_to_judge_on_arrival(shim: Shim) -> None:
    reply = shim.init(b'{"claimOrder":"ARRIVAL"}')
    assert (reply.tick_rate, reply.judge_on_arrival) == (1, True)
    assert not shim.init(b'{"claimOrder":"TICK"}').judge_on_arrival


def test_init_label_has_the_key_of_match_options(shim: Shim) -> None:
    options = shim.stub.MatchOptions(pb.MatchOptionsRequest(options=b'{"maxPlayers":3}'))
    assert json.loads(shim.init(b'{"maxPlayers":3}').step.label)["key"] == options.key


def test_two_matches_have_different_decks(stub: MatchHandlerServiceStub) -> None:
    boards = []
    for _ in range(2):
        shim = Shim(stub)
        shim.init()
        shim.seat("ann", "bob")
        boards.append(board(shim))
    assert boards[0] != boards[1]


def test_join_attempt_returns_allow_or_a_reason(shim: Shim) -> None:
    shim.init(b'{"allowSpectators":false}')
    assert shim.attempt("ann").allow
    assert shim.attempt("bob").allow
    reply = shim.attempt("cat")
    assert (reply.allow, reply.reason) == (False, "match full")


def test_join_metadata_reaches_the_match(shim: Shim) -> None:
    shim.init()
    assert shim.attempt("sue", spectate="true").allow
    shim.join("sue")
    assert decode_state(shim.step.state).seats == []


def test_join_returns_private_and_public_messages(shim: Shim) -> None:
    shim.init()
    step = shim.seat("ann")
    snapshot, joined = step.broadcasts
    assert (snapshot.everyone, list(snapshot.session_ids)) == (False, ["ann-1"])
    assert (joined.everyone, list(joined.session_ids)) == (True, [])
    assert [snapshot.message.op_code, joined.message.op_code] == [OpCode.SNAPSHOT, OpCode.PLAYER_CHANGED]


def test_expected_users_get_their_seats(shim: Shim) -> None:
    shim.init(b'{"allowSpectators":false}', expected=["ann", "bob"])
    assert not shim.attempt("eve").allow
    assert shim.attempt("bob").allow


def test_join_without_a_seat_is_kicked(shim: Shim) -> None:
    shim.init(b'{"allowSpectators":false}')
    shim.seat("ann", "bob")
    assert list(shim.join("late").kicks) == ["late-1"]


def test_leave_reasons_are_distinguished(shim: Shim) -> None:
    changes = {}
    for reason in pb.LeaveReason.values():
        shim.init(b'{"maxPlayers":3}')
        shim.seat("ann", "bob", "cat")
        step = shim.leave("cat", reason)
        changes[pb.LeaveReason.Name(reason)] = json.loads(step.broadcasts[0].message.data)["change"]
    assert changes == {
        "LEAVE_REASON_UNSPECIFIED": "PLAYER_CHANGE_DISCONNECTED",
        "LEAVE_REASON_LEFT": "PLAYER_CHANGE_FORFEITED",
        "LEAVE_REASON_DISCONNECTED": "PLAYER_CHANGE_DISCONNECTED",
        "LEAVE_REASON_NEVER_JOINED": "PLAYER_CHANGE_DISCONNECTED",
    }


def test_loop_judges_claims_and_logs_them(shim: Shim) -> None:
    shim.init(b'{"seed":1}')
    shim.seat("ann", "bob")
    step = shim.loop(("ann", OpCode.CLAIM, claim(shim)))
    assert ops(step) == [OpCode.CLAIM_RESULT]
    assert json.loads(step.broadcasts[0].message.data)["valid"]
    assert json.loads(step.log[0])["kind"] == "claim"
    assert not step.HasField("label")


def test_untimed_match_wakes_only_at_the_idle_limit(shim: Shim) -> None:
    shim.init(b'{"seed":1}')
    assert shim.seat("ann", "bob").wake_at_ms == IDLE_MS


@pytest.mark.fault("F7")
def test_repeated_request_has_the_same_response(shim: Shim) -> None:
    """So the shim may retry a call whose response was lost."""
    shim.init(b'{"seed":1}')
    shim.seat("ann", "bob")
    request = shim.loop_request(("ann", OpCode.CLAIM, claim(shim)))
    replies = [shim.stub.MatchLoop(request).SerializeToString(deterministic=True) for _ in range(3)]
    assert len(set(replies)) == 1


def test_terminate_ends_the_match_and_writes_the_record(shim: Shim) -> None:
    shim.init(b'{"seed":1}')
    shim.seat("ann", "bob")
    shim.loop(("ann", OpCode.CLAIM, claim(shim)))
    step = shim.terminate()
    assert step.end
    assert ops(step) == [OpCode.MATCH_ENDED]
    (effect,) = step.effects
    write = effect.storage_write
    assert (write.collection, write.record_field) == ("set_matches", "log")
    assert write.create_only
    assert write.permission_read == 0
    assert json.loads(write.value)["matchId"] == "m1.node1"


def test_win_is_written_to_the_leaderboard(shim: Shim) -> None:
    shim.init(b'{"seed":1}')
    shim.seat("ann", "bob")
    shim.loop(("ann", OpCode.CLAIM, claim(shim)))
    shim.loop(("bob", OpCode.CLAIM, claim(shim)), after_ms=60_000)
    step = shim.leave("ann", pb.LEAVE_REASON_LEFT)
    _record, effect = step.effects
    win = effect.leaderboard_write
    assert (win.leaderboard_id, win.owner_id, win.username, win.score) == ("set_wins", "bob", "bob", 1)
    assert json.loads(win.metadata) == {"game": "m1.node1.1"}
    assert (win.quota.collection, win.quota.key, win.quota.most) == ("set_pairs", "20261201.ann.bob", 3)
    assert step.wake_at_ms == shim.now_ms + 30_000


def test_signals_return_json(shim: Shim) -> None:
    shim.init(b'{"seed":1}')
    shim.seat("ann", "bob")
    assert json.loads(shim.signal("snapshot").data)["phase"] == "PHASE_BOARD_IDLE"
    assert "error" in json.loads(shim.signal("nonsense").data)
    reply = shim.signal("close")
    assert json.loads(reply.data) == {"closed": True}
    assert reply.step.end
