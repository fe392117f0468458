from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.native.room import QUICK
from tests.page.seating import sit_both
from tests.page.visitor import PATIENCE_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import WebSocketRoute

    from demo.stack import NativeStack
    from tests.native.room import Room
    from tests.page.visitor import Visitor

pytestmark = pytest.mark.page


class Line:
    """A visitor's line to Nakama, which a test can cut and mend."""

    def __init__(self, visitor: Visitor) -> None:
        self._up = True
        self._open: list[WebSocketRoute] = []
        visitor.page.route_web_socket("**/ws?**", self._pass_on)

    def cut(self) -> None:
        self._up = False
        for socket in self._open:
            socket.close()
        self._open.clear()

    def mend(self) -> None:
        self._up = True

    def _pass_on(self, socket: WebSocketRoute) -> None:
        if self._up:
            socket.connect_to_server()
            self._open.append(socket)
        else:
            socket.close()


def test_a_lost_connection_comes_back_by_itself_to_the_same_seat_and_score(
    room: Room, come: Callable[..., Visitor]
) -> None:
    ann, bob = come("Ann"), come("Bob")
    line = Line(ann)
    sit_both(room, lambda name: {"Ann": ann, "Bob": bob}[name])
    ann.claim_set()
    line.cut()
    expect(ann.page.locator(".banner.is-lost")).to_be_visible()
    expect(bob.row("Ann")).to_contain_text("to come back")
    bob.picture("away")
    bob.claim_set()
    line.mend()
    expect(ann.page.locator(".banner.is-lost")).to_be_hidden()
    ann.expect_score("Bob", 1)
    expect(bob.row("Ann")).not_to_contain_text("to come back")
    ann.claim_set()
    bob.expect_score("Ann", 2)


def test_whoever_stays_away_is_out_and_the_other_wins(room: Room, come: Callable[..., Visitor]) -> None:
    ann, bob = come("Ann"), come("Bob")
    line = Line(ann)
    sit_both(room, lambda name: {"Ann": ann, "Bob": bob}[name], reconnectWindowSeconds=1)
    line.cut()
    expect(bob.page.locator(".result")).to_contain_text("You win!", timeout=10_000)
    expect(bob.page.locator(".result")).to_contain_text("Everybody else is out")
    line.mend()
    expect(ann.page.locator(".result")).to_contain_text("Bob", timeout=20_000)


def test_a_reload_while_the_referee_is_away_waits_for_it_and_sits_down_again(
    room: Room, come: Callable[..., Visitor], stack: NativeStack
) -> None:
    ann, bob = sit_both(room, come)
    ann.claim_set()
    stack.kill_rules()
    try:
        expect(bob.page.locator(".banner.is-paused")).to_be_visible()
        ann.page.reload()
        expect(ann.page.locator(".banner.is-lost")).to_contain_text("rules service unavailable")
    finally:
        stack.start_rules()
    expect(ann.board).to_be_visible(timeout=PATIENCE_MS)
    ann.expect_score("Ann", 1)


def test_leaving_on_purpose_is_asked_about_and_gives_the_game_up(
    room: Room, come: Callable[..., Visitor]
) -> None:
    ann, bob = sit_both(room, come)
    ann.press("Leave")
    dialog = ann.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Stay").click()
    expect(ann.board).to_be_visible()
    ann.press("Leave")
    dialog.get_by_role("button", name="Leave").click()
    expect(ann.page.get_by_role("heading", name="Play now")).to_be_visible()
    expect(bob.page.locator(".result")).to_contain_text("You win!")


def test_two_tabs_of_one_browser_are_two_players_and_a_reload_stays_the_same_one(
    room: Room, come: Callable[..., Visitor]
) -> None:
    ann = come("Ann")
    bob = type(ann)(ann.page.context.new_page(), ann.url, "Bob")
    sit_both(room, lambda name: {"Ann": ann, "Bob": bob}[name])
    bob.claim_set()
    bob.page.reload()
    bob.wait_until_open()
    bob.expect_score("Bob", 1)
    expect(bob.row("Bob")).to_contain_text("you")
    expect(ann.row("Ann")).to_contain_text("you")


def test_a_copy_of_a_tab_is_somebody_else_and_is_asked_before_it_sits_down(
    come: Callable[..., Visitor],
) -> None:
    ann = come("Ann")
    ann.open_lobby()
    ann.press("Set up a table")
    expect(ann.page.get_by_label("Link to this table")).to_be_visible()
    with ann.page.context.expect_page() as copied:
        ann.page.evaluate("open(location.href)")
    expect(copied.value.get_by_role("heading", name="You are invited to a table")).to_be_visible()
    expect(ann.page.get_by_role("heading", name="Waiting for 1 more player")).to_be_visible()


def test_a_match_that_is_gone_is_said_with_a_way_out(come: Callable[..., Visitor]) -> None:
    ann = come("Ann")
    ann.sit_down("00000000-0000-4000-8000-000000000000.set")
    expect(ann.page.get_by_role("heading", name="This table is not to be had")).to_be_visible()
    ann.press("To the lobby")
    expect(ann.page.get_by_role("heading", name="Play now")).to_be_visible()


def test_who_comes_to_a_full_table_watches(room: Room, come: Callable[..., Visitor]) -> None:
    match_id = room.match(animationMs=QUICK)
    ann, bob, eve = come("Ann"), come("Bob"), come("Eve")
    for visitor in (ann, bob):
        visitor.sit_down(match_id)
    expect(ann.board).to_be_visible()
    expect(bob.board).to_be_visible()
    eve.sit_down(match_id)
    expect(eve.page.get_by_text("you are watching")).to_be_visible()
    ann.claim_set()
    eve.expect_score("Ann", 1)
    eve.card(eve.cards[0]).click()
    expect(eve.page.locator("[aria-pressed=true]")).to_have_count(0)
