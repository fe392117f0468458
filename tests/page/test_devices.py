from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect

from tests.page.browser import LAN_HOST
from tests.page.pairs import join_both
from tests.page.visitor import Visitor
from tests.support.clients import QUICK, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Response

    from demo.stack.native import NativeStack
    from tests.support.clients import Clients

pytestmark = pytest.mark.page

BLOCKED = """
for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });
for (const name of ["request", "query"])
  LockManager.prototype[name] = () => Promise.reject(new DOMException("denied", "SecurityError"));
"""
FULL = 'Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };'
UNREADABLE = """
localStorage.setItem("set.preferences", '{"names": 5, "bots": "many", "rules": null}');
localStorage.setItem("set.settings", '{"palette": "constructor", "marks": 1}');
"""

SLEEP = """
const real = performance.now.bind(performance);
let asleepMs = 0;
performance.now = () => real() - asleepMs;
window.sleepFor = (ms) => { asleepMs += ms; };
"""
"""Emulates a sleep: the monotonic clock loses time against the clock of the day."""


NEWER = """
delete AbortSignal.timeout;
delete AbortSignal.any;
delete Promise.withResolvers;
delete Promise.try;
delete Object.groupBy;
delete Array.fromAsync;
delete URL.canParse;
for (const name of ["toSorted", "toReversed", "toSpliced", "with"]) delete Array.prototype[name];
for (const name of ["union", "intersection", "difference", "isSubsetOf"]) delete Set.prototype[name];
delete Element.prototype.checkVisibility;
delete HTMLElement.prototype.showPopover;
"""
"""Removes interfaces that the oldest supported browsers do not have."""


def test_the_page_needs_no_interface_of_newer_browsers(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.page.add_init_script(NEWER)
    ann.open_lobby()
    ann.press("Play bots")
    ann.claim_set()
    ann.page.reload()
    ann.expect_score("Ann", 1)


@pytest.mark.parametrize("script", [BLOCKED, FULL, UNREADABLE], ids=["blocked", "full", "unreadable"])
def test_the_page_is_playable_without_usable_storage(
    new_visitor: Callable[..., Visitor], script: str
) -> None:
    ann = new_visitor("Ann")
    ann.page.add_init_script(script)
    ann.open_lobby()
    ann.press("Display")
    ann.page.get_by_label("Black, with letters").check()
    ann.press("Done")
    ann.press("Play bots")
    ann.claim_set()
    ann.expect_score("Ann", 1)


def test_two_tabs_without_web_locks_are_two_players(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.url = ann.url.replace("127.0.0.1", LAN_HOST)
    ann.open_lobby()
    assert not ann.page.evaluate("isSecureContext")
    ann.press("Create a match")
    link = ann.page.get_by_label("Link to this match").input_value()
    with ann.page.context.expect_page() as copied:
        ann.page.evaluate("open(location.href)")
    bob = Visitor(copied.value, link, "Bob")
    bob.page.get_by_label("Your name").fill("Bob")
    bob.press("Join")
    expect(ann.page.get_by_role("heading", name="All players are here")).to_be_visible()
    bob.page.reload()
    expect(bob.row("Bob")).to_contain_text("you")
    for visitor in (ann, bob):
        visitor.press("Start")
    for visitor in (ann, bob):
        expect(visitor.board).to_be_visible()


def test_copy_selects_the_link_without_a_clipboard(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.url = ann.url.replace("127.0.0.1", LAN_HOST)
    ann.open_lobby()
    ann.press("Create a match")
    link = ann.page.get_by_label("Link to this match").input_value()
    ann.press("Copy")
    expect(ann.page.get_by_text("The link is selected: copy it")).to_be_visible()
    assert ann.page.evaluate("getSelection().toString()") == link


def test_a_rejected_session_is_replaced_once(new_visitor: Callable[..., Visitor], stack: NativeStack) -> None:
    ann = new_visitor("Ann")
    sessions: list[dict[str, str]] = []
    logins: list[str] = []

    def remember(response: Response) -> None:
        if "/account/authenticate/" in response.url and response.ok:
            logins.append(response.url)
            sessions.append(response.json())

    ann.page.on("response", remember)
    ann.open_lobby()
    ann.press("Create a match")
    expect(ann.page.get_by_label("Link to this match")).to_be_visible()
    ann.press("Leave")
    for session in sessions:
        httpx.post(
            f"{stack.api_url}/v2/session/logout",
            headers={"Authorization": f"Bearer {session['token']}"},
            json={"token": session["token"], "refreshToken": session["refresh_token"]},
            trust_env=False,
        ).raise_for_status()
    before = len(logins)
    ann.press("Play bots")
    ann.claim_set()
    assert len(logins) == before + 1
    expect(ann.page.locator(".banner.is-bad")).to_have_count(0)


def left_s(visitor: Visitor) -> int:
    """Return the seconds on Ann's clock, as a visitor sees it."""
    minutes, seconds = visitor.row("Ann").get_by_role("timer").inner_text().split(":")
    return 60 * int(minutes) + int(seconds)


def test_the_clock_is_correct_after_a_sleep(clients: Clients, new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    ann.page.add_init_script(SLEEP)
    join_both(clients, lambda name: {"Ann": ann, "Bob": bob}[name], timeLimitSeconds=600)
    started = left_s(bob)
    ann.page.evaluate("sleepFor(100_000)")
    wait_until(lambda: left_s(bob) < started - 1)
    wait_until(lambda: left_s(bob) + 1 >= left_s(ann) >= left_s(bob) - 1)


def test_a_closed_browser_offers_the_running_match(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann, bob = join_both(clients, new_visitor)
    ann.claim_set()
    context = ann.page.context
    ann.page.close()
    expect(bob.row("Ann")).to_contain_text("to reconnect")
    again = Visitor(context.new_page(), ann.url, "Ann")
    again.page.goto(again.url)
    again.press("Rejoin the match")
    again.expect_score("Ann", 1)
    again.claim_set()
    bob.expect_score("Ann", 2)


def test_a_match_that_was_left_is_not_offered(clients: Clients, new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.join(clients.create_match(mode="SINGLE_PLAYER", animationMs=QUICK))
    expect(ann.board).to_be_visible()
    ann.press("Leave")
    ann.page.get_by_role("dialog").get_by_role("button", name="Leave").click()
    again = Visitor(ann.page.context.new_page(), ann.url, "Ann")
    ann.page.close()
    again.page.goto(again.url)
    expect(again.page.get_by_role("button", name="Play bots")).to_be_enabled()
    expect(again.page.get_by_role("button", name="Rejoin the match")).to_have_count(0)
