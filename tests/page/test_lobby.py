from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.page.visitor import TIMEOUT_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.page.visitor import Visitor

pytestmark = pytest.mark.page

ROWS = """all => {
  const rows = new Map();
  for (const one of all) {
    const top = Math.round(one.getBoundingClientRect().top);
    rows.set(top, (rows.get(top) ?? 0) + 1);
  }
  return [...rows.values()];
}"""


def test_one_click_starts_a_game_against_bots(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.page.goto(ann.url)
    ann.press("Play bots")
    ann.wait_until_open()
    expect(ann.page.locator(".player")).to_have_count(2)


def test_the_first_action_is_the_only_emphasized_one(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.open_lobby()
    first = ann.page.locator("main button").first
    expect(first).to_have_class("primary")
    expect(ann.page.locator("main button.primary")).to_have_count(1)
    ann.screenshot("lobby")


@pytest.mark.parametrize("width", [390, 700, 900, 1280, 1800])
def test_the_grid_of_the_lobby_has_no_empty_cell(new_visitor: Callable[..., Visitor], width: int) -> None:
    ann = new_visitor("Ann", viewport={"width": width, "height": 800})
    ann.open_lobby()
    counts = ann.page.eval_on_selector_all(".ways > .way", ROWS)
    assert sum(counts) == 4
    assert len(set(counts)) == 1


def test_settings_belong_to_their_way_to_play(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.open_lobby()
    ann.way("Against bots").get_by_label("Time limit").select_option("300")
    friends = ann.way("With friends")
    expect(friends.get_by_label("Time limit")).to_have_value("0")
    daily = ann.page.get_by_role("region", name="Today's deck")
    expect(daily.get_by_label("Time limit")).to_have_count(0)
    ann.press("Play bots")
    expect(ann.page.get_by_text("time limit 5:00")).to_be_visible()


def test_the_daily_result_has_place_history_and_share_text(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.open_lobby()
    ann.press("Play today's deck")
    while True:
        ann.wait_until_open()
        if ann.over:
            break
        ann.claim_set()
    result = ann.page.locator(".result")
    expect(result.locator(".ranking .is-you")).to_contain_text("Ann", timeout=TIMEOUT_MS)
    ann.press("Share")
    text = ann.page.get_by_label("Text to share").input_value()
    assert text.startswith("SET, deck of ")
    assert "Sets in" in text
    assert "#/match" not in text
    ann.press("Back to the lobby")
    ann.press("Ranking")
    dialog = ann.page.get_by_role("dialog")
    expect(dialog.locator(".ranking .is-you")).to_contain_text("Ann")
    expect(dialog.locator(".history li")).to_have_count(1)
    ann.screenshot("daily")
