"""The log: JSON lines with the match id, never with state or deck."""

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
    """Capture the log with the logging configuration of the service."""
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


def test_failed_call_is_a_json_line_with_match_and_method(
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


def test_log_of_a_game_contains_no_part_of_the_deck(shim: Shim, monkeypatch: pytest.MonkeyPatch) -> None:
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
    """Return whether the text contains three consecutive cards of the deck."""
    for first, second, third in zip(order, order[1:], order[2:], strict=False):
        yield f"{first}, {second}, {third}" in text or f"{first},{second},{third}" in text


def test_log_level_filters_lower_levels(monkeypatch: pytest.MonkeyPatch) -> None:
    with captured(monkeypatch, "warning") as written:
        logging.getLogger("match_handler.test").info("quiet")
        logging.getLogger("match_handler.test").warning("loud \u00fc\n", extra={"uid": "ann"})
    (line,) = lines_of(written)
    assert (line["msg"], line["uid"], line["level"]) == ("loud \u00fc\n", "ann", "WARNING")
