"""Inputs that make the service fail: named, answered, and the match goes on (DESIGN section 4)."""

import pytest

from match_handler.match import inputs
from match_handler.match.inputs import InputError
from match_handler.match.match import Match
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MATCH_ID, started
from tests.match.said import Said, claim, rejected, sync

FAILED = "the rules service failed on this message"


class PoisonError(Exception):
    """What a fault of the service looks like."""


def fail(*_: object) -> None:
    raise PoisonError


def test_the_failing_input_is_named_by_its_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(inputs._HANDLERS, OpCode.HINT, fail)
    table = started()
    said = [claim("ann", table.sets[0]), Said("bob", OpCode.HINT), sync("ann")]
    match = Match.restore(MATCH_ID, table.state, table.moment)
    with pytest.raises(InputError, match=r"^input 1 failed$") as raised:
        match.loop([table.drained(message) for message in said], [])
    assert raised.value.position == 1
    assert isinstance(raised.value.__cause__, PoisonError)


def test_a_skipped_input_is_answered_and_the_others_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(inputs._HANDLERS, OpCode.HINT, fail)
    table = started()
    heard = table.loop(claim("bob", table.sets[0]), Said("ann", OpCode.HINT), sync("ann"), skipped={1})
    assert [told.op_code for told in heard] == [OpCode.CLAIM_REJECTED, OpCode.SNAPSHOT, OpCode.CLAIM_RESULT]
    assert heard[0].body == rejected("MALFORMED", op_code=OpCode.HINT, message=FAILED)
    assert heard[0].audience == ("ann-1",)
    assert heard[2].body["valid"]


def test_a_skipped_claim_is_answered_by_its_id() -> None:
    table = started()
    heard = table.loop(claim("ann", table.sets[0], "mine"), skipped={0})
    assert [told.body for told in heard] == [rejected("MALFORMED", "mine", message=FAILED)]
