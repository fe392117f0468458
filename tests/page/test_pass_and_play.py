from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from demo.client.sets import a_non_set
from tests.page.accessibility import violations
from tests.page.touch import Fingers, middle, press_key
from tests.support.clients import QUICK

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator

    from tests.page.visitor import Visitor
    from tests.support.clients import Clients

pytestmark = pytest.mark.page


@pytest.fixture
def eve(clients: Clients, new_visitor: Callable[..., Visitor]) -> Visitor:
    """A visitor with a match of Ann, Bob and Cleo on one device with a touch screen."""
    eve = new_visitor("Eve", has_touch=True)
    options = {"localPlayers": ["Ann", "Bob", "Cleo"], "animationMs": QUICK}
    eve.join(clients.create_match(mode="PASS_AND_PLAY", **options))
    eve.wait_until_open()
    return eve


def zone(visitor: Visitor, name: str) -> Locator:
    return visitor.page.locator(".zone", has_text=name)


def selected(visitor: Visitor) -> Locator:
    return visitor.page.locator(".slot[aria-pressed=true]")


def test_three_cards_and_then_the_zone_claim(eve: Visitor) -> None:
    zone(eve, "Bob").click()
    for name in ("Bob", "Ann"):
        eve.choose(eve.sets[0])
        expect(selected(eve)).to_have_count(3)
        eve.expect_score(name, 0)
        assert violations(eve.page) == []
        zone(eve, name).click()
        eve.expect_score(name, 1)
        eve.wait_until_open()


def test_an_invalid_claim_counts_for_the_zone_that_was_tapped(eve: Visitor) -> None:
    eve.choose(a_non_set(eve.cards))
    zone(eve, "Cleo").click()
    expect(eve.row("Cleo")).to_contain_text("1 mistake")
    expect(selected(eve)).to_have_count(0)


def test_a_zone_tap_counts_while_a_finger_is_on_a_card(eve: Visitor) -> None:
    fingers, (first, *others) = Fingers(eve.page), eve.sets[0]
    for card in others:
        eve.card(card).tap()
    fingers.press(middle(eve.card(first)))
    expect(selected(eve)).to_have_count(3)
    fingers.press(middle(zone(eve, "Bob")))
    eve.expect_score("Bob", 1)
    fingers.lift()
    eve.expect_score("Bob", 1)
    expect(selected(eve)).to_have_count(0)


def test_the_first_of_two_taps_within_20_ms_wins(eve: Visitor) -> None:
    eve.choose(eve.sets[0])
    fingers = Fingers(eve.page)
    points = [middle(zone(eve, name)) for name in ("Cleo", "Ann")]
    for point in points:
        fingers.press(point)
    fingers.lift()
    eve.expect_score("Cleo", 1)
    eve.wait_until_open()
    eve.expect_score("Ann", 0)
    expect(eve.row("Ann")).not_to_contain_text("mistake")


@pytest.mark.parametrize(
    ("code", "key"),
    [("Digit2", "é"), ("Digit2", "ě"), ("Digit2", "٢"), ("Numpad2", "ArrowDown")],
    ids=["azerty", "czech", "arabic", "number pad"],
)
def test_zone_keys_work_on_every_keyboard_layout(eve: Visitor, code: str, key: str) -> None:
    eve.choose(eve.sets[0])
    press_key(eve.page, code, key)
    eve.expect_score("Bob", 1)


def test_a_held_key_selects_a_card_once(eve: Visitor) -> None:
    eve.card(eve.cards[0]).focus()
    for _ in range(4):
        eve.page.keyboard.down("Enter")
    expect(selected(eve)).to_have_count(1)
    eve.page.keyboard.up("Enter")
    expect(selected(eve)).to_have_count(1)
