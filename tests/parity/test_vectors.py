"""The shared vectors equal the answers of the C# program and of this project."""

import json
from datetime import date

import pytest

from set_core import ALL_CARDS, Deck, SetValidator, daily_seed
from tests.parity.vectors import BOARD_SIZES, VECTORS, Json, as_text, vectors

VALIDATOR = SetValidator()


@pytest.fixture(scope="module")
def shared() -> Json:
    return dict(json.loads(VECTORS.read_text()))


def test_file_matches_the_csharp_program() -> None:
    assert as_text(vectors()) == VECTORS.read_text()


def test_triples(shared: Json) -> None:
    ours = [
        VALIDATOR.validate([ALL_CARDS[i] for i in row["cards"]]).invalid_reason for row in shared["triples"]
    ]

    assert ours == [row["reason"] for row in shared["triples"]]
    assert len(set(ours)) == 5


def test_eight_rows_of_the_set_validator_text(shared: Json) -> None:
    expected = [
        None,
        None,
        None,
        "Number is mixed",
        "Color is mixed",
        "Shading is mixed",
        "Shape is mixed",
        None,
    ]

    assert [row["reason"] for row in shared["triples"][:8]] == expected


def test_boards(shared: Json) -> None:
    for row in shared["boards"]:
        cards = [ALL_CARDS[i] for i in row["cards"]]
        assert [[card.id for card in trio] for trio in VALIDATOR.find_all_sets(cards)] == row["sets"]
        assert VALIDATOR.any_set_exists(cards) is row["any"]
    assert {len(row["cards"]) for row in shared["boards"]} == set(BOARD_SIZES)


def test_decks_and_days(shared: Json) -> None:
    for row in shared["decks"] + shared["days"]:
        assert list(Deck(row["seed"]).order) == row["deck"]
    for row in shared["days"]:
        assert daily_seed(date(*row["date"])) == row["seed"]


def test_cards(shared: Json) -> None:
    for row in shared["cards"]:
        attributes = ALL_CARDS[row["id"]].attributes
        assert [row[name].upper() for name in ("number", "shape", "color", "shading")] == [
            attributes.number.name,
            attributes.shape.name,
            attributes.color.name,
            attributes.shading.name,
        ]
