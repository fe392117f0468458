"""Whole matches as text: the output equals the golden files, which cover every value of the protocol."""

from pathlib import Path

import pytest

from match_handler.match import admission
from match_handler.v1 import client_pb2
from tests.golden.regenerate import FILES, regenerated
from tests.proof.ledger import Tries

ALL_TEXT = "\n".join(file.read_text() for file in FILES)
SENT_BY_THE_SHIM = {"OP_CODE_SERVICE_STATUS"}
VALUES = [
    value.name
    for enum in client_pb2.DESCRIPTOR.enum_types_by_name.values()
    for value in enum.values
    if value.number and value.name not in SENT_BY_THE_SHIM
]


@pytest.mark.claim(
    "each line of the golden games is reproduced", "complete matches are played again and compared"
)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_golden_game_is_unchanged(file: Path, tried: Tries) -> None:
    """After an intended change run `make generate` and review the diff."""
    lines = file.read_text().splitlines()

    tried(len(lines))
    assert regenerated(file.read_text()).splitlines() == lines


@pytest.mark.claim(
    "each op code, phase, mode, penalty, end, rejection and change occurs in a golden game",
    "each value of each enum of client.proto",
)
@pytest.mark.parametrize("value", VALUES)
def test_every_value_sent_to_players_occurs(value: str, tried: Tries) -> None:
    tried()
    words = value, value.removeprefix("OP_CODE_")
    assert any(f"{before}{word}{after}" in ALL_TEXT for word in words for before in "= " for after in " )\n")


@pytest.mark.parametrize(
    "refusal", [admission.FULL, admission.STARTED, admission.OVER, admission.NOT_INVITED, admission.KICKED]
)
def test_every_join_rejection_occurs(refusal: str) -> None:
    assert f"refused: {refusal}\n" in ALL_TEXT


@pytest.mark.parametrize(
    "effect",
    [
        "scoreDelta=1 ",
        "scoreDelta=-1 ",
        "    kick ",
        "    over\n",
        "store set_matches ",
        "rank set_wins ",
        "rank set_daily_",
        '"kind":"forfeit"',
        '"kind":"end"',
        "draw=yes",
        ":----",
        "answer closed=yes",
        "winnerSeat=0",
        "winnerSeat=1",
    ],
)
def test_every_kind_of_outcome_occurs(effect: str) -> None:
    assert effect in ALL_TEXT
