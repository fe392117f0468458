"""The examples in the protocol document are current messages of the service."""

import re

from match_handler.protocol.payloads import OpCode
from tests.docs.examples import EXAMPLE, PROTOCOL, with_examples


def test_examples_are_current_messages() -> None:
    text = PROTOCOL.read_text()

    assert with_examples(text) == text


def test_every_message_has_an_example() -> None:
    shown = {found["name"].partition("_valid")[0] for found in EXAMPLE.finditer(PROTOCOL.read_text())}

    assert {op_code.name for op_code in OpCode} - {"SERVICE_STATUS"} <= shown


def test_every_op_code_is_in_the_tables() -> None:
    rows = dict(re.findall(r"^\| (\d+) \| `(\w+)`", PROTOCOL.read_text(), re.MULTILINE))

    assert rows == {str(op_code.value): op_code.name for op_code in OpCode}
