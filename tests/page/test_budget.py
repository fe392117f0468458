from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from demo.stack.page_program import FOLDER
from tests.page.accessibility import small_targets
from tests.page.visitor import TIMEOUT_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Request

    from tests.page.visitor import Visitor
    from tests.support.clients import Clients

pytestmark = pytest.mark.page

MAX_SCRIPT_BYTES = 50_000
MAX_STYLE_BYTES = 6_000
MAX_BYTES = 60_000
MAX_ROUND_TRIPS = 2
"""One for the document, one for its script and style in parallel."""

FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint').length > 0"
ROUND_TRIPS = """() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0].startTime;
  const loads = performance.getEntriesByType("resource").filter((one) => one.responseEnd <= paint);
  const ends = (one) => loads.filter((other) => other.responseEnd <= one.startTime);
  const depth = (one) => 1 + Math.max(0, ...ends(one).map(depth));
  return 1 + Math.max(0, ...loads.map(depth));
}"""
"""The document, and the longest chain of requests of which each starts after the end of the previous one."""


NOTICE = """one => {
  const [late] = one.getAnimations();
  return [0, 3000].map((ms) => {
    late.currentTime = ms;
    return getComputedStyle(one).visibility;
  });
}"""
"""The visibility of an element at the start of its animation, and after three seconds of it."""


def compressed(pattern: str) -> int:
    return sum(len(gzip.compress(file.read_bytes())) for file in FOLDER.glob(pattern))


def test_script_and_style_are_within_the_budget() -> None:
    assert 0 < compressed("assets/*.js") <= MAX_SCRIPT_BYTES
    assert 0 < compressed("assets/*.css") <= MAX_STYLE_BYTES
    assert compressed("**/*.*") <= MAX_BYTES


def test_the_first_paint_waits_for_no_other_request(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    held: list[str] = []

    def hold(request: Request) -> None:
        held.append(request.url)

    ann.page.route("**/config.json", lambda route: hold(route.request))
    ann.page.goto(ann.url)
    expect(ann.page.get_by_role("button", name="Play bots")).to_be_visible()
    ann.page.wait_for_function(FIRST_PAINT)
    assert len(held) == 1
    assert ann.page.evaluate(ROUND_TRIPS) <= MAX_ROUND_TRIPS


def test_only_browsers_that_cannot_read_the_script_get_a_notice(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.page.route(
        "**/assets/*.js", lambda route: route.fulfill(body="let = ;", content_type="text/javascript")
    )
    ann.page.goto(ann.url)
    notice = ann.page.get_by_text("This page needs Chrome or Edge 108")
    assert notice.evaluate(NOTICE) == ["hidden", "visible"]


@pytest.mark.parametrize("width", [390, 1280])
def test_tap_targets_have_at_least_24_px(
    clients: Clients, new_visitor: Callable[..., Visitor], width: int
) -> None:
    ann = new_visitor("Ann", viewport={"width": width, "height": 844})
    ann.open_lobby()
    for summary in ann.page.locator("summary").all():
        summary.click()
    assert small_targets(ann.page) == []
    ann.press("Display")
    assert small_targets(ann.page) == []
    ann.press("Done")
    ann.press("Ranking")
    expect(ann.page.get_by_role("dialog").get_by_role("button", name="Close")).to_be_visible()
    assert small_targets(ann.page) == []
    ann.press("Close")
    ann.press("Create a match")
    expect(ann.page.get_by_label("Link to this match")).to_be_visible()
    assert small_targets(ann.page) == []
    ann.press("Leave")
    ann.join(clients.create_match(mode="SINGLE_PLAYER", timeLimitSeconds=5, hints=True))
    ann.wait_until_open()
    assert small_targets(ann.page) == []
    expect(ann.page.locator(".result")).to_be_visible(timeout=TIMEOUT_MS)
    ann.press("Show the replay")
    assert small_targets(ann.page) == []
