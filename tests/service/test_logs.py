"""What the service writes: JSON lines that name the match, never its state or deck."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from match_handler.match.match import Match
from match_handler.match.state import decode_state
from match_handler.protocol.payloads import OpCode
from match_handler.service.logs import configure_logs
from tests.service.served import Shim
from tests.service.test_calls import claim


@contextmanager
def captured(monkeypatch: pytest.MonkeyPatch, level: str = "debug") -> Iterator[io.StringIO]:
    """Everything that is logged while the root logger is set up as in the process."""
    written = io.StringIO()
    monkeypatch.setattr("sys.stderr", written)
    root = logging.getLogger()
    before, was = root.handlers[:], root.level
    configure_logs(level)
    try:
        yield written
    finally:
        root.handlers, root.level = before, was


def lines_of(written: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in written.getvalue().splitlines()]


def test_a_failed_call_is_a_json_line_with_match_and_method(
    shim: Shim, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("boom")

    shim.init()
    monkeypatch.setattr(Match, "join", fail)
    with captured(monkeypatch) as written, pytest.raises(Exception, match="internal error"):
        shim.join("ann")
    (line,) = [line for line in lines_of(written) if line["level"] == "ERROR"]
    assert (line["msg"], line["mid"], line["method"]) == ("call failed", "m1.node1", "MatchJoin")
    assert "RuntimeError: boom" in str(line["exc_info"])


def test_a_game_leaves_no_trace_of_its_deck_in_the_log(shim: Shim, monkeypatch: pytest.MonkeyPatch) -> None:
    with captured(monkeypatch) as written:
        shim.init(b'{"seed":1234567}')
        shim.seat("ann", "bob")
        session = decode_state(shim.step.state).session
        shim.loop(("ann", OpCode.CLAIM, claim(shim)), ("bob", 99, b"junk"), ("bob", OpCode.CLAIM, b"{"))
        shim.signal("close")
    assert session is not None
    text = written.getvalue()
    assert "1234567" not in text
    assert not any(fragments(session.order, text))


def fragments(order: bytes, text: str) -> Iterator[bool]:
    """Whether three cards that follow each other in the deck do so in the text."""
    for first, second, third in zip(order, order[1:], order[2:], strict=False):
        yield f"{first}, {second}, {third}" in text or f"{first},{second},{third}" in text


def test_levels_leave_out_what_is_below(monkeypatch: pytest.MonkeyPatch) -> None:
    with captured(monkeypatch, "warning") as written:
        logging.getLogger("match_handler.test").info("quiet")
        logging.getLogger("match_handler.test").warning("loud \u00fc\n", extra={"uid": "ann"})
    (line,) = lines_of(written)
    assert (line["msg"], line["uid"], line["level"]) == ("loud \u00fc\n", "ann", "WARNING")
