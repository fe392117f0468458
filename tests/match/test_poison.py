"""Inputs that cause an exception: each is reported and the match continues (DESIGN section 4)."""

import pytest

from match_handler.match import inputs
from match_handler.match.inputs import InputError
from match_handler.match.match import Match
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MATCH_ID, started
from tests.match.messages import PlayerMessage, claim, rejected, sync

FAILED = "the rules service failed on this message"


class PoisonError(Exception):
    """Simulates an unexpected exception of the service."""


def fail(*_: object) -> None:
    raise PoisonError


def test_failing_input_is_reported_by_its_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(inputs._HANDLERS, OpCode.HINT, fail)
    driver = started()
    messages = [claim("ann", driver.sets[0]), PlayerMessage("bob", OpCode.HINT), sync("ann")]
    match = Match.restore(MATCH_ID, driver.state, driver.moment)
    with pytest.raises(InputError, match=r"^input 1 failed$") as raised:
        match.loop([driver.drained(message) for message in messages], [])
    assert raised.value.position == 1
    assert isinstance(raised.value.__cause__, PoisonError)


def test_skipped_claim_is_rejected_with_its_id() -> None:
    driver = started()
    received = driver.loop(claim("ann", driver.sets[0], "mine"), skipped={0})
    assert [message.body for message in received] == [rejected("MALFORMED", "mine", message=FAILED)]
