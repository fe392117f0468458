from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.page.pairs import join_both
from tests.page.visitor import TIMEOUT_MS
from tests.support.clients import QUICK

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import WebSocketRoute

    from demo.stack.native import NativeStack
    from tests.page.visitor import Visitor
    from tests.support.clients import Clients

pytestmark = pytest.mark.page


class Connection:
    """A visitor's connection to Nakama, which a test can interrupt and restore."""

    def __init__(self, visitor: Visitor) -> None:
        self._up = True
        self._open: list[WebSocketRoute] = []
        visitor.page.route_web_socket("**/ws?**", self._on_socket)

    def interrupt(self) -> None:
        self._up = False
        for socket in self._open:
            socket.close()
        self._open.clear()

    def restore(self) -> None:
        self._up = True

    def _on_socket(self, socket: WebSocketRoute) -> None:
        if self._up:
            socket.connect_to_server()
            self._open.append(socket)
        else:
            socket.close()


def test_a_lost_connection_reconnects_to_the_same_seat(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    connection = Connection(ann)
    join_both(clients, lambda name: {"Ann": ann, "Bob": bob}[name])
    ann.claim_set()
    connection.interrupt()
    expect(ann.page.locator(".banner.is-lost")).to_be_visible()
    expect(bob.row("Ann")).to_contain_text("to reconnect")
    bob.claim_set()
    connection.restore()
    expect(ann.page.locator(".banner.is-lost")).to_be_hidden()
    ann.expect_score("Bob", 1)
    expect(bob.row("Ann")).not_to_contain_text("to reconnect")
    ann.claim_set()
    bob.expect_score("Ann", 2)


def test_a_disconnected_player_is_out_and_the_other_wins(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    connection = Connection(ann)
    join_both(clients, lambda name: {"Ann": ann, "Bob": bob}[name], reconnectWindowSeconds=1)
    connection.interrupt()
    expect(bob.page.locator(".result")).to_contain_text("You win!", timeout=10_000)
    expect(bob.page.locator(".result")).to_contain_text("All other players are out")
    connection.restore()
    expect(ann.page.locator(".result")).to_contain_text("Bob", timeout=20_000)


def test_a_reload_in_an_outage_rejoins_after_it(
    clients: Clients, new_visitor: Callable[..., Visitor], stack: NativeStack
) -> None:
    ann, bob = join_both(clients, new_visitor)
    ann.claim_set()
    stack.kill_rules()
    try:
        expect(bob.page.locator(".banner.is-paused")).to_be_visible()
        ann.page.reload()
        expect(ann.page.locator(".banner.is-lost")).to_contain_text("rules service unavailable")
    finally:
        stack.start_rules()
    expect(ann.board).to_be_visible(timeout=TIMEOUT_MS)
    ann.expect_score("Ann", 1)


def test_match_continues_after_a_crash_of_nakama(
    clients: Clients, new_visitor: Callable[..., Visitor], stack: NativeStack
) -> None:
    ann, bob = join_both(clients, new_visitor, claimOrder="ARRIVAL")
    ann.claim_set()
    bob.expect_score("Ann", 1)
    stack.kill_nakama()
    try:
        expect(ann.page.locator(".banner.is-lost")).to_be_visible()
    finally:
        stack.start_nakama()
    for visitor in (ann, bob):
        expect(visitor.page.locator(".banner.is-lost")).to_be_hidden(timeout=TIMEOUT_MS)
        visitor.expect_score("Ann", 1)
    bob.claim_set()
    ann.expect_score("Bob", 1)


def test_leaving_needs_a_confirmation_and_forfeits(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann, bob = join_both(clients, new_visitor)
    ann.press("Leave")
    dialog = ann.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Stay").click()
    expect(ann.board).to_be_visible()
    ann.press("Leave")
    dialog.get_by_role("button", name="Leave").click()
    expect(ann.page.get_by_role("heading", name="Play now")).to_be_visible()
    expect(bob.page.locator(".result")).to_contain_text("You win!")


def test_two_tabs_are_two_players_also_after_a_reload(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann = new_visitor("Ann")
    bob = type(ann)(ann.page.context.new_page(), ann.url, "Bob")
    join_both(clients, lambda name: {"Ann": ann, "Bob": bob}[name])
    bob.claim_set()
    bob.page.reload()
    bob.wait_until_open()
    bob.expect_score("Bob", 1)
    expect(bob.row("Bob")).to_contain_text("you")
    expect(ann.row("Ann")).to_contain_text("you")


def test_a_copied_tab_is_another_user_with_an_invitation(
    new_visitor: Callable[..., Visitor],
) -> None:
    ann = new_visitor("Ann")
    ann.open_lobby()
    ann.press("Create a match")
    expect(ann.page.get_by_label("Link to this match")).to_be_visible()
    with ann.page.context.expect_page() as copied:
        ann.page.evaluate("open(location.href)")
    expect(copied.value.get_by_role("heading", name="You are invited to a match")).to_be_visible()
    expect(ann.page.get_by_role("heading", name="Waiting for 1 more player")).to_be_visible()


def test_an_unavailable_match_leads_back_to_the_lobby(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.join("00000000-0000-4000-8000-000000000000.set")
    expect(ann.page.get_by_role("heading", name="This match is no longer available")).to_be_visible()
    ann.press("Back to the lobby")
    expect(ann.page.get_by_role("heading", name="Play now")).to_be_visible()


def test_a_user_of_a_full_match_is_a_spectator(clients: Clients, new_visitor: Callable[..., Visitor]) -> None:
    match_id = clients.create_match(animationMs=QUICK)
    ann, bob, eve = new_visitor("Ann"), new_visitor("Bob"), new_visitor("Eve")
    for visitor in (ann, bob):
        visitor.join(match_id)
    expect(ann.board).to_be_visible()
    expect(bob.board).to_be_visible()
    eve.join(match_id)
    expect(eve.page.get_by_text("you are a spectator")).to_be_visible()
    ann.claim_set()
    eve.expect_score("Ann", 1)
    eve.card(eve.cards[0]).click()
    expect(eve.page.locator("[aria-pressed=true]")).to_have_count(0)
