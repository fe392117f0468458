from __future__ import annotations

from typing import TYPE_CHECKING

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

ENDED_MATCH = "00000000-0000-4000-8000-000000000000.set"
"""Nakama knows no match with this id, as after the end of a match."""
INVITATION = 32 * "0"


def test_both_sides_see_the_fill_time_and_can_extend_it(new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    ann.open_lobby()
    ann.press("Create a match")
    bob.page.goto(ann.page.get_by_label("Link to this match").input_value())
    bob.press("Join")
    for visitor in (ann, bob):
        expect(visitor.page.get_by_text("Time left to fill the match")).to_be_visible()
    for presses, visitor in enumerate((ann, bob), start=1):
        visitor.press("Wait longer")
        for each in (ann, bob):
            events = each.page.locator(".events li", has_text="There is more time to wait for players.")
            expect(events).to_have_count(presses)


def test_an_abandoned_match_offers_a_new_one(clients: Clients, new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    ann.page.clock.install()
    ann.join(clients.create_match(maxPlayers=3, minPlayers=3))
    expect(ann.page.get_by_role("heading", name="Waiting for 2 more players")).to_be_visible()
    heading = ann.page.get_by_role("heading", name="Not enough players joined in time")
    ann.page.clock.resume()
    expect(heading).to_be_visible(timeout=90_000)
    expect(ann.page.get_by_role("button", name="Rematch")).to_have_count(0)
    expect(ann.page.get_by_role("button", name="Show the replay")).to_have_count(0)
    bob.page.goto(ann.page.url)
    bob.press("Join")
    expect(bob.page.get_by_text("The match has ended. Ask for a new link.")).to_be_visible()
    bob.press("Find another match")
    expect(bob.page.get_by_role("heading", name="Waiting for 1 more player")).to_be_visible()
    ann.press("Search again")
    expect(ann.page.get_by_role("heading", name="Waiting for 2 more players")).to_be_visible()


def test_a_late_friend_creates_a_match_with_one_click(new_visitor: Callable[..., Visitor]) -> None:
    bob = new_visitor("Bob")
    bob.join(f"{ENDED_MATCH}/{INVITATION}")
    expect(bob.page.get_by_text("The match has ended. Ask for a new link.")).to_be_visible()
    bob.press("Create a match")
    expect(bob.page.get_by_role("heading", name="Waiting for 1 more player")).to_be_visible()


def test_a_player_without_an_opponent_gets_a_new_one(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann, bob = join_both(clients, new_visitor, timeLimitSeconds=77)
    bob.press("Leave")
    bob.page.get_by_role("dialog").get_by_role("button", name="Leave").click()
    result = ann.page.locator(".result")
    expect(result).to_contain_text("has left")
    expect(result).not_to_contain_text("left to")
    expect(result.get_by_role("button", name="Rematch")).to_have_count(0)
    ann.press("New opponent")
    expect(ann.page.get_by_role("heading", name="Waiting for 1 more player")).to_be_visible()
    eve = new_visitor("Eve")
    eve.join(ann.page.url.partition("#/match/")[2])
    for visitor in (ann, eve):
        expect(visitor.board).to_be_visible()
    expect(eve.page.get_by_text("time limit 1:17")).to_be_visible()


def test_a_rematch_is_withdrawn_when_the_opponent_leaves(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann, bob = join_both(clients, new_visitor, timeLimitSeconds=2)
    for visitor in (ann, bob):
        expect(visitor.page.get_by_role("button", name="Rematch")).to_be_visible()
    ann.press("Rematch")
    bob.press("Back to the lobby")
    expect(ann.page.locator(".result")).to_contain_text("has left")
    expect(ann.page.get_by_role("button", name="Waiting for the other players…")).to_have_count(0)
    expect(ann.page.get_by_role("button", name="New opponent")).to_be_visible()


def test_friends_are_listed_until_all_are_ready(new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    ann.open_lobby()
    ann.way("With friends").get_by_label("Time limit").select_option("180")
    ann.press("Create a match")
    bob.page.goto(ann.page.get_by_label("Link to this match").input_value())
    bob.page.get_by_label("Your name").fill("Bob")
    bob.press("Join")
    people = ann.page.locator(".people li")
    expect(people).to_have_count(2)
    bob.press("Start")
    expect(people.filter(has_text="Bob")).to_contain_text("ready")
    ann.screenshot("friends")
    ann.press("Start")
    ann.wait_until_open()


def test_friends_play_another_game_with_one_click_each(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    options = {"private": True, "maxPlayers": 3, "minPlayers": 2, "timeLimitSeconds": 3, "animationMs": QUICK}
    created = clients.user().rpc("set_create_match", options)
    friends = new_visitor("Ann"), new_visitor("Bob")
    for friend in friends:
        friend.join(f"{created['matchId']}/{created['invitation']}")
    for friend in friends:
        friend.press("Start without more players")
    for friend in friends:
        expect(friend.page.locator(".result")).to_contain_text("Time is up", timeout=TIMEOUT_MS)
        friend.press("Rematch")
    for friend in friends:
        expect(friend.board).to_be_visible()
