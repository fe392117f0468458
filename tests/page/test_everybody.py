from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.native.room import QUICK
from tests.page.accessibility import violations

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.native.room import Room
    from tests.page.visitor import Visitor

pytestmark = pytest.mark.page

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
LYING = {**PHONE, "viewport": {"width": 844, "height": 390}}
SMALLEST_TARGET = 44
COLUMNS = 4


def alone(room: Room, visitor: Visitor, **options: Any) -> None:
    visitor.sit_down(room.match(**{"mode": "SINGLE_PLAYER", "animationMs": QUICK, **options}))
    expect(visitor.board).to_be_visible()


def tab_to(visitor: Visitor, selector: str) -> None:
    for _ in range(60):
        if visitor.page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {selector}")


def walk(visitor: Visitor, start: int, target: int) -> None:
    """Go from slot to slot by arrow keys: along the column, then along the row."""
    rows, columns = target // COLUMNS - start // COLUMNS, target % COLUMNS - start % COLUMNS
    for _ in range(abs(columns)):
        visitor.page.keyboard.press("ArrowRight" if columns > 0 else "ArrowLeft")
    for _ in range(abs(rows)):
        visitor.page.keyboard.press("ArrowDown" if rows > 0 else "ArrowUp")


def pick_by_keys(visitor: Visitor, cards: Sequence[int]) -> None:
    for card in cards:
        here = int(visitor.page.evaluate("document.activeElement.dataset.slot"))
        walk(visitor, here, int(visitor.card(card).get_attribute("data-slot") or ""))
        visitor.page.keyboard.press("Space")


def test_from_the_lobby_to_sets_by_keyboard_alone(come: Callable[..., Visitor]) -> None:
    ann = come("Ann")
    ann.page.goto(ann.url)
    tab_to(ann, "#app .field input")
    ann.page.keyboard.type("Ann")
    tab_to(ann, ".is-daily button")
    ann.page.keyboard.press("Enter")
    expect(ann.board).to_be_visible()
    tab_to(ann, ".slot")
    for score in (1, 2):
        ann.wait_until_open()
        pick_by_keys(ann, ann.sets[0])
        ann.expect_score("Ann", score)
    assert ann.page.evaluate("document.activeElement.matches('.slot')")


def test_escape_lets_go_of_chosen_cards(room: Room, come: Callable[..., Visitor]) -> None:
    ann = come("Ann")
    alone(room, ann)
    tab_to(ann, ".slot")
    pick_by_keys(ann, ann.cards[:2])
    expect(ann.page.locator(".slot[aria-pressed=true]")).to_have_count(2)
    ann.page.keyboard.press("Space")
    expect(ann.page.locator(".slot[aria-pressed=true]")).to_have_count(1)
    ann.page.keyboard.press("Escape")
    expect(ann.page.locator(".slot[aria-pressed=true]")).to_have_count(0)


def test_cards_and_events_are_named_for_those_who_listen(room: Room, come: Callable[..., Visitor]) -> None:
    ann = come("Ann")
    alone(room, ann, seed=7)
    names = [button.get_attribute("aria-label") or "" for button in ann.board.get_by_role("button").all()]
    assert len(set(names)) == len(names) == len(ann.cards)
    assert names[5].endswith("row 2, column 2")
    ann.claim_set()
    expect(ann.page.get_by_test_id("spoken")).to_contain_text("You: Set!")
    expect(ann.page.get_by_test_id("spoken")).to_contain_text("New at row")


@pytest.mark.parametrize("device", [PHONE, LYING], ids=["upright", "lying"])
def test_on_a_phone_every_card_is_in_sight_and_can_be_tapped(
    room: Room, come: Callable[..., Visitor], device: dict[str, Any]
) -> None:
    ann = come("Ann", **device)
    alone(room, ann, bots=[{"level": "EASY"}])
    ann.wait_until_open()
    width, height = device["viewport"].values()
    for button in ann.board.get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= SMALLEST_TARGET
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    assert ann.page.evaluate("document.documentElement.scrollWidth") <= width
    ann.picture(f"phone-{width}")
    for card in ann.sets[0]:
        ann.card(card).tap()
    ann.expect_score("Ann", 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_wrong_from_the_lobby_to_the_result(
    room: Room, come: Callable[..., Visitor], scheme: str
) -> None:
    ann = come("Ann", color_scheme=scheme)
    ann.open_lobby()
    assert violations(ann.page) == []
    ann.picture(f"lobby-{scheme}")
    ann.press("Display")
    assert violations(ann.page) == []
    ann.picture(f"display-{scheme}")
    ann.press("Done")
    ann.press("Set up a table")
    expect(ann.page.get_by_role("img", name="QR code of the link")).to_be_visible()
    assert violations(ann.page) == []
    ann.picture(f"invitation-{scheme}")
    ann.press("Leave")
    alone(room, ann, timeLimitSeconds=4, bots=[{"level": "EASY"}], hints=True)
    ann.claim_non_set()
    assert violations(ann.page) == []
    expect(
        ann.page.get_by_role("heading", name="wins").or_(ann.page.get_by_role("heading", name="draw"))
    ).to_be_visible()
    ann.press("Look through the game")
    expect(ann.page.get_by_role("slider")).to_be_visible()
    ann.page.get_by_text("The deck in its order").click()
    assert violations(ann.page) == []
    ann.picture(f"replay-{scheme}")


def test_the_way_cards_look_is_kept_and_letters_come_with_black(
    room: Room, come: Callable[..., Visitor]
) -> None:
    ann = come("Ann")
    ann.open_lobby()
    ann.press("Display")
    ann.page.get_by_label("Black, with letters").check()
    ann.press("Done")
    alone(room, ann)
    expect(ann.board.locator(".mark")).to_have_count(len(ann.cards))
    ann.page.reload()
    ann.wait_until_open()
    expect(ann.board.locator(".mark")).to_have_count(len(ann.cards))


def test_with_less_motion_asked_for_nothing_moves(room: Room, come: Callable[..., Visitor]) -> None:
    counts = {}
    for motion in ("no-preference", "reduce"):
        ann = come("Ann", reduced_motion=motion)
        alone(room, ann, animationMs={**QUICK, "invalidSet": 3000})
        ann.claim_non_set()
        expect(ann.page.locator(".slot.is-refused")).to_have_count(3)
        moving = "[...document.querySelectorAll('.slot .card')].flatMap(one => one.getAnimations()).length"
        counts[motion] = ann.page.evaluate(moving)
    assert counts["no-preference"] > 0
    assert counts["reduce"] == 0
