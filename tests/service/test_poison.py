"""An input that causes an exception is skipped, rejected and logged; the other inputs count."""

import json
import logging

import pytest

from match_handler.match import inputs
from match_handler.protocol.payloads import OpCode
from tests.match.messages import rejected
from tests.service.served import Shim
from tests.service.test_calls import board, claim

SKIPPED = "the rules service failed on this message"
SECRET = "the deck is 1 2 3"  # noqa: S105 - a text that must not leave the service


def fail(*_: object) -> None:
    raise RuntimeError(SECRET)


@pytest.fixture
def poisoned(shim: Shim, monkeypatch: pytest.MonkeyPatch) -> Shim:
    """Return a match in which every HINT causes an exception."""
    monkeypatch.setitem(inputs._HANDLERS, OpCode.HINT, fail)
    shim.init(b'{"seed":1}')
    shim.seat("ann", "bob")
    return shim


def responses_to(shim: Shim, *messages: tuple[str, int, bytes]) -> list[tuple[int, dict[str, object]]]:
    step = shim.loop(*messages)
    return [(sent.message.op_code, json.loads(sent.message.data)) for sent in step.broadcasts]


def test_other_inputs_of_the_tick_count(poisoned: Shim) -> None:
    messages = [
        ("ann", OpCode.HINT, b"{}"),
        ("bob", OpCode.CLAIM, claim(poisoned)),
        ("ann", OpCode.SYNC, b"{}"),
    ]
    responses = responses_to(poisoned, *messages)
    assert [op_code for op_code, _ in responses] == [
        OpCode.CLAIM_REJECTED,
        OpCode.SNAPSHOT,
        OpCode.CLAIM_RESULT,
    ]
    assert responses[0][1] == rejected("MALFORMED", op_code=OpCode.HINT, message=SKIPPED)
    assert responses[2][1]["valid"]
    assert SECRET.encode() not in poisoned.step.SerializeToString()


def test_several_failing_inputs_are_each_skipped(poisoned: Shim) -> None:
    messages = [("ann", OpCode.HINT, b"{}"), ("bob", OpCode.HINT, b"{}")] * 5
    responses = responses_to(poisoned, *messages, ("bob", OpCode.CLAIM, claim(poisoned)))
    assert [op_code for op_code, _ in responses] == [OpCode.CLAIM_REJECTED] * 10 + [OpCode.CLAIM_RESULT]


def test_failing_input_leaves_no_change_in_the_state(shim: Shim, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exception may occur after a change of the board."""
    shim.init(b'{"seed":1}')
    shim.seat("ann", "bob")
    before = board(shim)
    monkeypatch.setattr(inputs, "publish", fail)
    responses = responses_to(shim, ("ann", OpCode.CLAIM, claim(shim)))
    assert responses[0][1]["reason"] == "CLAIM_REASON_MALFORMED"
    assert board(shim) == before


def test_failing_input_is_logged(poisoned: Shim, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, logger="match_handler"):
        responses_to(poisoned, ("ann", OpCode.HINT, b'{"x":"y"}'))
    (line,) = caplog.records
    assert line.getMessage() == "input failed"
    facts = vars(line)
    assert (facts["mid"], facts["uid"], facts["op"]) == ("m1.node1", "ann", OpCode.HINT)
    assert facts["input"] == repr(b'{"x":"y"}')
    assert line.exc_info is not None
    assert line.exc_info[0] is RuntimeError
