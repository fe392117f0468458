from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.page.accessibility import violations
from tests.support.clients import QUICK

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.page.visitor import Visitor
    from tests.support.clients import Clients

pytestmark = pytest.mark.page

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
LANDSCAPE = {**PHONE, "viewport": {"width": 844, "height": 390}}
MIN_TARGET_PX = 44
COLUMNS = 4


def join_alone(clients: Clients, visitor: Visitor, **options: Any) -> None:
    visitor.join(clients.create_match(**{"mode": "SINGLE_PLAYER", "animationMs": QUICK, **options}))
    expect(visitor.board).to_be_visible()


def tab_to(visitor: Visitor, selector: str) -> None:
    for _ in range(60):
        if visitor.page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {selector}")


def move_focus(visitor: Visitor, start: int, target: int) -> None:
    """Move the focus from slot to slot by arrow keys: first along the row, then along the column."""
    rows, columns = target // COLUMNS - start // COLUMNS, target % COLUMNS - start % COLUMNS
    for _ in range(abs(columns)):
        visitor.page.keyboard.press("ArrowRight" if columns > 0 else "ArrowLeft")
    for _ in range(abs(rows)):
        visitor.page.keyboard.press("ArrowDown" if rows > 0 else "ArrowUp")


def select_by_keys(visitor: Visitor, cards: Sequence[int]) -> None:
    for card in cards:
        current = int(visitor.page.evaluate("document.activeElement.dataset.slot"))
        move_focus(visitor, current, int(visitor.card(card).get_attribute("data-slot") or ""))
        visitor.page.keyboard.press("Space")


def test_a_game_can_be_played_by_keyboard_only(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.page.goto(ann.url)
    tab_to(ann, "#app .field input")
    ann.page.keyboard.type("Ann")
    tab_to(ann, ".is-daily button")
    ann.page.keyboard.press("Enter")
    expect(ann.board).to_be_visible()
    tab_to(ann, ".slot")
    for score in (1, 2):
        ann.wait_until_open()
        select_by_keys(ann, ann.sets[0])
        ann.expect_score("Ann", score)
    assert ann.page.evaluate("document.activeElement.matches('.slot')")


def test_escape_deselects_cards(clients: Clients, new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    join_alone(clients, ann)
    tab_to(ann, ".slot")
    select_by_keys(ann, ann.cards[:2])
    expect(ann.page.locator(".slot[aria-pressed=true]")).to_have_count(2)
    ann.page.keyboard.press("Space")
    expect(ann.page.locator(".slot[aria-pressed=true]")).to_have_count(1)
    ann.page.keyboard.press("Escape")
    expect(ann.page.locator(".slot[aria-pressed=true]")).to_have_count(0)


def test_cards_and_events_have_texts_for_screen_readers(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann = new_visitor("Ann")
    join_alone(clients, ann, seed=7)
    names = [button.get_attribute("aria-label") or "" for button in ann.board.get_by_role("button").all()]
    assert len(set(names)) == len(names) == len(ann.cards)
    assert names[5].endswith("row 2, column 2")
    ann.claim_set()
    expect(ann.page.get_by_test_id("spoken")).to_contain_text("You: Set!")
    expect(ann.page.get_by_test_id("spoken")).to_contain_text("New at row")


@pytest.mark.parametrize("device", [PHONE, LANDSCAPE], ids=["portrait", "landscape"])
def test_every_card_is_visible_and_tappable_on_a_phone(
    clients: Clients, new_visitor: Callable[..., Visitor], device: dict[str, Any]
) -> None:
    ann = new_visitor("Ann", **device)
    join_alone(clients, ann, bots=[{"level": "EASY"}])
    ann.wait_until_open()
    width, height = device["viewport"].values()
    for button in ann.board.get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= MIN_TARGET_PX
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= height
    assert ann.page.evaluate("document.documentElement.scrollWidth") <= width
    if width < height:
        ann.screenshot("phone")
    for card in ann.sets[0]:
        ann.card(card).tap()
    ann.expect_score("Ann", 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violations(clients: Clients, new_visitor: Callable[..., Visitor], scheme: str) -> None:
    ann = new_visitor("Ann", color_scheme=scheme)
    ann.open_lobby()
    assert violations(ann.page) == []
    ann.press("Display")
    assert violations(ann.page) == []
    ann.press("Done")
    ann.press("Ranking")
    expect(ann.page.get_by_role("dialog").locator(".ranking, p")).to_have_count(1)
    assert violations(ann.page) == []
    ann.press("Close")
    ann.press("Create a match")
    expect(ann.page.get_by_role("img", name="QR code of the link")).to_be_visible()
    assert violations(ann.page) == []
    ann.press("Leave")
    join_alone(clients, ann, timeLimitSeconds=4, bots=[{"level": "EASY"}], hints=True)
    ann.claim_non_set()
    assert violations(ann.page) == []
    expect(
        ann.page.get_by_role("heading", name="wins").or_(ann.page.get_by_role("heading", name="draw"))
    ).to_be_visible()
    ann.press("Show the replay")
    expect(ann.page.get_by_role("slider")).to_be_visible()
    ann.page.get_by_text("Order of the deck").click()
    assert violations(ann.page) == []


def test_the_palette_is_kept_and_black_has_letters(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann = new_visitor("Ann")
    ann.open_lobby()
    ann.press("Display")
    ann.page.get_by_label("Black, with letters").check()
    ann.press("Done")
    join_alone(clients, ann)
    expect(ann.board.locator(".mark")).to_have_count(len(ann.cards))
    ann.page.reload()
    ann.wait_until_open()
    expect(ann.board.locator(".mark")).to_have_count(len(ann.cards))


def test_reduced_motion_stops_animations(clients: Clients, new_visitor: Callable[..., Visitor]) -> None:
    counts = {}
    for motion in ("no-preference", "reduce"):
        ann = new_visitor("Ann", reduced_motion=motion)
        join_alone(clients, ann, animationMs={**QUICK, "invalidSet": 3000})
        ann.claim_non_set()
        expect(ann.page.locator(".slot.is-invalid")).to_have_count(3)
        count_animations = (
            "[...document.querySelectorAll('.slot .card')].flatMap(one => one.getAnimations()).length"
        )
        counts[motion] = ann.page.evaluate(count_animations)
    assert counts["no-preference"] > 0
    assert counts["reduce"] == 0
