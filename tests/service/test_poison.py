"""An input that makes the service fail is left out, answered and logged; the others count."""

import json
import logging

import pytest

from match_handler.match import inputs
from match_handler.protocol.payloads import OpCode
from tests.match.said import rejected
from tests.service.served import Shim
from tests.service.test_calls import board, claim

SKIPPED = "the rules service failed on this message"
SECRET = "the deck is 1 2 3"  # noqa: S105 - what must not get out


def fail(*_: object) -> None:
    raise RuntimeError(SECRET)


@pytest.fixture
def poisoned(shim: Shim, monkeypatch: pytest.MonkeyPatch) -> Shim:
    """A game in which every HINT makes the service fail."""
    monkeypatch.setitem(inputs._HANDLERS, OpCode.HINT, fail)
    shim.init(b'{"seed":1}')
    shim.seat("ann", "bob")
    return shim


def answers(shim: Shim, *said: tuple[str, int, bytes]) -> list[tuple[int, dict[str, object]]]:
    step = shim.loop(*said)
    return [(told.message.op_code, json.loads(told.message.data)) for told in step.broadcasts]


def test_the_others_of_the_tick_count(poisoned: Shim) -> None:
    said = [("ann", OpCode.HINT, b"{}"), ("bob", OpCode.CLAIM, claim(poisoned)), ("ann", OpCode.SYNC, b"{}")]
    told = answers(poisoned, *said)
    assert [op_code for op_code, _ in told] == [OpCode.CLAIM_REJECTED, OpCode.SNAPSHOT, OpCode.CLAIM_RESULT]
    assert told[0][1] == rejected("MALFORMED", op_code=OpCode.HINT, message=SKIPPED)
    assert told[2][1]["valid"]
    assert SECRET.encode() not in poisoned.step.SerializeToString()


def test_many_failing_inputs_are_each_left_out(poisoned: Shim) -> None:
    said = [("ann", OpCode.HINT, b"{}"), ("bob", OpCode.HINT, b"{}")] * 5
    told = answers(poisoned, *said, ("bob", OpCode.CLAIM, claim(poisoned)))
    assert [op_code for op_code, _ in told] == [OpCode.CLAIM_REJECTED] * 10 + [OpCode.CLAIM_RESULT]


def test_nothing_of_a_failing_input_stays_in_the_state(shim: Shim, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may fail half-way, with the board already changed."""
    shim.init(b'{"seed":1}')
    shim.seat("ann", "bob")
    before = board(shim)
    monkeypatch.setattr(inputs, "publish", fail)
    told = answers(shim, ("ann", OpCode.CLAIM, claim(shim)))
    assert told[0][1]["reason"] == "CLAIM_REASON_MALFORMED"
    assert board(shim) == before


def test_it_is_logged_with_the_input(poisoned: Shim, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, logger="match_handler"):
        answers(poisoned, ("ann", OpCode.HINT, b'{"x":"y"}'))
    (line,) = caplog.records
    assert line.getMessage() == "input failed"
    facts = vars(line)
    assert (facts["mid"], facts["uid"], facts["op"]) == ("m1.node1", "ann", OpCode.HINT)
    assert facts["input"] == repr(b'{"x":"y"}')
    assert line.exc_info is not None
    assert line.exc_info[0] is RuntimeError
