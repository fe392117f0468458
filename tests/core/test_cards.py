import copy
import pickle
from itertools import product

import pytest

from set_core import ALL_CARDS, Card, CardAttributes, Color, Number, Shading, Shape


def test_enum_values_match_the_rule_text() -> None:
    assert [number.value for number in Number] == [1, 2, 3]
    assert [(shape.name, shape.value) for shape in Shape] == [("DIAMOND", 0), ("SQUIGGLE", 1), ("OVAL", 2)]
    assert [(color.name, color.value) for color in Color] == [("RED", 0), ("GREEN", 1), ("PURPLE", 2)]
    assert [(fill.name, fill.value) for fill in Shading] == [("SOLID", 0), ("STRIPED", 1), ("OPEN", 2)]


def test_two_green_striped_squiggles_have_id_40() -> None:
    assert Card.of(Number.TWO, Shape.SQUIGGLE, Color.GREEN, Shading.STRIPED).id == 40


def test_id_formula_holds_for_every_combination() -> None:
    for number, shape, color, shading in product(Number, Shape, Color, Shading):
        card = Card.of(number, shape, color, shading)

        assert card.id == (number - 1) * 27 + shape * 9 + color * 3 + shading
        assert card.attributes == CardAttributes(number, shape, color, shading)


def test_all_81_ids_round_trip_through_attributes() -> None:
    assert [CardAttributes.from_id(card_id).id for card_id in range(81)] == list(range(81))


def test_all_81_cards_are_present_once() -> None:
    assert len(set(ALL_CARDS)) == len({card.attributes for card in ALL_CARDS}) == 81
    assert [card.id for card in ALL_CARDS] == list(range(81))


def test_equality_and_hash_use_the_id() -> None:
    assert Card(40) == Card.of(Number.TWO, Shape.SQUIGGLE, Color.GREEN, Shading.STRIPED)
    assert Card(40) != Card(41)
    assert hash(Card(40)) == hash(40)
    assert Card(40) in [Card(12), Card(40)]


def test_card_does_not_equal_its_id() -> None:
    assert Card(40) != 40
    assert {Card(40): "a card"}.get(40) is None  # type: ignore[call-overload]


def test_each_card_is_a_single_object_even_after_copies() -> None:
    card = Card(7)

    assert Card(7) is ALL_CARDS[7]
    assert copy.copy(card) is copy.deepcopy(card) is pickle.loads(pickle.dumps(card)) is card  # noqa: S301 - trusted data


@pytest.mark.parametrize("name", ["id", "attributes", "packed", "new"])
def test_card_is_immutable(name: str) -> None:
    with pytest.raises(AttributeError, match=f"cannot set '{name}'"):
        setattr(Card(1), name, 2)
    with pytest.raises(AttributeError, match=f"cannot delete '{name}'"):
        delattr(Card(1), name)


def test_attributes_are_immutable() -> None:
    with pytest.raises(AttributeError):
        Card(1).attributes.color = Color.RED  # type: ignore[misc]


@pytest.mark.parametrize("bad", [-1, 81, 10**30, True, False, 1.0, "1", None, Number.ONE])
def test_bad_id_is_rejected(bad: object) -> None:
    with pytest.raises(ValueError, match=r"is not the id of a card: allowed are the integers 0\.\.80"):
        Card(bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [(0, 0, 0, 0), (4, 0, 0, 0), (1, 3, 0, 0), (1, 0, -1, 0), (1, 0, 0, 3)])
def test_values_outside_an_enum_are_rejected(bad: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="is not a valid"):
        Card.of(*bad)  # type: ignore[arg-type]


def test_plain_values_become_enum_members() -> None:
    attributes = Card.of(1, 2, 1, 0).attributes  # type: ignore[arg-type]

    assert attributes.shape is Shape.OVAL
    assert attributes.number is Number.ONE


def test_repr_names_the_card() -> None:
    assert repr(Card(40)) == "<Card 40: Two Green Striped Squiggle>"


def test_card_equality_compares_ids() -> None:
    """Equality must not depend on object identity: a second object of a card must be equal."""
    assert ALL_CARDS[40].__eq__(ALL_CARDS[40]) is True
