from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.page.pairs import join_both
from tests.page.visitor import TIMEOUT_MS
from tests.support.clients import QUICK

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.page.visitor import Visitor
    from tests.support.clients import Clients

pytestmark = pytest.mark.page

TRANSLATE = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const text of texts) {
    if (text.data.trim() === "" || text.parentElement.closest("[translate=no], script, font")) continue;
    const font = document.createElement("font");
    font.textContent = text.data;
    text.replaceWith(font);
  }
}"""
"""Emulates the translation of a browser: replaces each text by an element, except where it is declined."""

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
TURNED = "\u202eTurned\u2066"


def test_numbers_and_names_update_in_a_translated_page(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    errors: list[str] = []
    ann = new_visitor("Ann")
    ann.page.on("pageerror", lambda error: errors.append(str(error)))
    bob = new_visitor("Bob")
    join_both(clients, lambda name: {"Ann": ann, "Bob": bob}[name], timeLimitSeconds=12)
    status = ann.page.locator(".status")
    ann.page.evaluate(TRANSLATE)
    for score in (1, 2):
        ann.claim_set()
        ann.expect_score("Ann", score)
        expect(ann.row("Ann")).to_contain_text("1 Set" if score == 1 else "2 Sets")
        expect(status).to_contain_text(f"{69 - 3 * score} cards left")
        ann.page.evaluate(TRANSLATE)
    clock = ann.row("Ann").get_by_role("timer")
    before = clock.inner_text()
    expect(clock).not_to_have_text(before)
    expect(ann.page.locator(".result")).to_contain_text("Time is up", timeout=TIMEOUT_MS)
    ann.page.evaluate(TRANSLATE)
    bob.press("Rematch")
    expect(ann.page.locator(".result")).to_contain_text("requested by")
    ann.page.evaluate(TRANSLATE)
    ann.press("Rematch")
    expect(ann.board).to_be_visible()
    assert errors == []


def test_a_translated_lobby_and_waiting_match_update(new_visitor: Callable[..., Visitor]) -> None:
    errors: list[str] = []
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    ann.page.on("pageerror", lambda error: errors.append(str(error)))
    ann.open_lobby()
    ann.page.evaluate(TRANSLATE)
    ann.press("Create a match")
    link = ann.page.get_by_label("Link to this match").input_value()
    ann.page.evaluate(TRANSLATE)
    bob.page.goto(link)
    bob.press("Join")
    expect(ann.page.get_by_role("heading", name="All players are here")).to_be_visible()
    bob.press("Start")
    expect(ann.page.locator(".people")).to_contain_text("ready")
    ann.press("Start")
    expect(ann.board).to_be_visible()
    assert errors == []


def test_names_with_direction_marks_are_isolated(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann = new_visitor(TURNED)
    ann.join(clients.create_match(mode="SINGLE_PLAYER", bots=[{"level": "EASY"}], animationMs=QUICK))
    ann.wait_until_open()
    name = ann.page.locator(".is-you .name bdi")
    assert name.inner_text().startswith("Turned")
    eve = new_visitor("Eve")
    options = {"localPlayers": ["\u05d0\u05d1", "Bob"], "animationMs": QUICK}
    eve.join(clients.create_match(mode="PASS_AND_PLAY", **options))
    eve.wait_until_open()
    expect(eve.page.locator(".zone bdi")).to_have_text(["Bob", "\u05d0\u05d1"])
    eve.choose(eve.sets[0])
    eve.page.keyboard.press("1")
    expect(eve.page.locator(".events li").first).to_contain_text("\u2068\u05d0\u05d1\u2069: Set!")


def test_forced_colours_show_selection_and_hint(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann = new_visitor("Ann", forced_colors="active")
    animations = {**QUICK, "invalidSet": 3000}
    ann.join(clients.create_match(mode="SINGLE_PLAYER", hints=True, animationMs=animations))
    ann.wait_until_open()
    ann.press("Hint")
    expect(ann.page.locator(".slot.is-hinted")).to_have_count(3)
    plain = next(
        card for card in ann.cards if not ann.card(card).evaluate("one => one.matches('.is-hinted')")
    )
    ann.card(plain).click()
    outlines = {
        name: ann.page.eval_on_selector(f".slot.{name} .card", "one => getComputedStyle(one).outlineStyle")
        for name in ("is-selected", "is-hinted")
    }
    ann.screenshot("forced-colors")
    assert "none" not in outlines.values()
    assert outlines["is-selected"] != outlines["is-hinted"]
    face = "one => getComputedStyle(one).backgroundColor"
    assert ann.page.eval_on_selector(".slot .card", face) == "rgb(255, 254, 250)"
    ann.page.keyboard.press("Escape")
    ann.claim_non_set()
    shown = ann.page.locator(".slot.is-invalid .card").first
    assert shown.evaluate("one => getComputedStyle(one).outlineStyle") not in {"none", *outlines.values()}


def test_text_of_200_percent_reflows_on_a_phone(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann = new_visitor("Ann", **PHONE)
    ann.page.add_init_script(
        "addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '200%'; })"
    )
    widths = {}

    def measure(view: str) -> None:
        widths[view] = ann.page.evaluate("document.documentElement.scrollWidth")

    ann.open_lobby()
    measure("lobby")
    for summary in ann.page.locator("summary").all():
        summary.click()
    measure("options")
    ann.press("Ranking")
    expect(ann.page.get_by_role("dialog")).to_be_visible()
    measure("ranking")
    ann.press("Close")
    ann.press("Display")
    measure("display")
    ann.press("Done")
    ann.press("Create a match")
    expect(ann.page.get_by_label("Link to this match")).to_be_visible()
    measure("waiting")
    ann.press("Leave")
    ann.join(
        clients.create_match(mode="SINGLE_PLAYER", timeLimitSeconds=5, bots=[{"level": "EASY"}], hints=True)
    )
    ann.wait_until_open()
    measure("match")
    expect(ann.page.locator(".result")).to_be_visible(timeout=TIMEOUT_MS)
    measure("result")
    ann.press("Show the replay")
    measure("replay")
    assert max(widths.values()) <= PHONE["viewport"]["width"], widths
