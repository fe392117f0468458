from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.page.visitor import TIMEOUT_MS
from tests.support.clients import QUICK

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.page.visitor import Visitor
    from tests.support.clients import Clients

pytestmark = pytest.mark.page


def test_play_now_joins_two_users_to_one_match(new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    for visitor in (ann, bob):
        visitor.open_lobby()
        options = visitor.way("Play now")
        options.get_by_label("Time limit").select_option("600")
        options.get_by_label("Penalty for a mistake").select_option("TIME")
        visitor.press("Find a match")
    for visitor in (ann, bob):
        expect(visitor.board).to_be_visible()
        expect(visitor.page.get_by_role("timer")).to_have_count(2)
    ann.claim_non_set()
    expect(bob.row("Ann").get_by_role("timer")).to_have_text(re.compile(r"9:5\d"))
    assert ann.cards == bob.cards


def test_a_friend_joins_by_the_link(new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    ann.open_lobby()
    ann.press("Create a match")
    link = ann.page.get_by_label("Link to this match").input_value()
    bob.page.goto(link)
    bob.page.get_by_label("Your name").fill("Bob")
    bob.press("Join")
    for visitor in (ann, bob):
        visitor.press("Start")
    for visitor in (ann, bob):
        expect(visitor.board).to_be_visible()
    assert ann.cards == bob.cards


def test_a_private_match_needs_the_invitation(new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    ann.open_lobby()
    ann.press("Create a match")
    expect(ann.page.get_by_label("Link to this match")).to_be_visible()
    match_id = ann.page.url.partition("#/match/")[2].partition("/")[0]
    bob.join(match_id)
    expect(bob.page.get_by_text("invitation needed")).to_be_visible()


def test_the_creator_removes_a_friend_and_waits_longer(new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    ann.open_lobby()
    ann.press("Create a match")
    bob.page.goto(ann.page.get_by_label("Link to this match").input_value())
    bob.page.get_by_label("Your name").fill("Bob")
    bob.press("Join")
    expect(ann.page.get_by_role("heading", name="All players are here")).to_be_visible()
    ann.press("Wait longer")
    expect(bob.page.get_by_text("There is more time to wait for players.").first).to_be_visible()
    ann.page.get_by_role("button", name="Remove Bob").click()
    expect(bob.page.get_by_text("The creator of the match removed you.").first).to_be_visible()


def test_two_of_four_players_start_when_both_are_ready(new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    ann.open_lobby()
    ann.way("With friends").get_by_label("Players").select_option("4")
    ann.press("Create a match")
    expect(ann.page.get_by_role("heading", name="Waiting for 3 more players")).to_be_visible()
    bob.page.goto(ann.page.url)
    bob.press("Join")
    for visitor in (ann, bob):
        visitor.press("Start without more players")
    for visitor in (ann, bob):
        expect(visitor.board).to_be_visible()


def test_a_hint_shows_a_set(new_visitor: Callable[..., Visitor]) -> None:
    ann = new_visitor("Ann")
    ann.open_lobby()
    options = ann.way("Against bots")
    options.get_by_label("Bots", exact=True).select_option("2")
    options.get_by_label("Level").select_option("EASY")
    ann.press("Play bots")
    ann.wait_until_open()
    expect(ann.page.locator(".player")).to_have_count(3)
    ann.press("Hint")
    expect(ann.page.locator(".slot.is-hinted")).to_have_count(3)
    hinted = ann.page.eval_on_selector_all(".is-hinted", "all => all.map(one => Number(one.dataset.card))")
    assert tuple(sorted(hinted)) in {tuple(sorted(found)) for found in ann.sets}


def test_the_daily_deck_is_the_same_for_all_users(new_visitor: Callable[..., Visitor]) -> None:
    boards = []
    for name in ("Ann", "Bob"):
        visitor = new_visitor(name)
        visitor.open_lobby()
        visitor.press("Play today's deck")
        visitor.wait_until_open()
        boards.append(visitor.cards)
    assert boards[0] == boards[1]


def test_play_on_this_device_starts_with_the_names(new_visitor: Callable[..., Visitor]) -> None:
    eve = new_visitor("Eve")
    eve.open_lobby()
    options = eve.way("On one device")
    options.get_by_label("Players").select_option("3")
    options.get_by_label("Name 3").fill("Cleo")
    eve.press("Play on this device")
    eve.wait_until_open()
    expect(eve.page.locator(".zone .name")).to_have_text(["Cleo", "Ann", "Bob"])


def test_the_replay_shows_all_boards_and_missed_sets(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    ann = new_visitor("Ann")
    ann.join(clients.create_match(mode="SINGLE_PLAYER", animationMs=QUICK, seed=7, timeLimitSeconds=6))
    ann.wait_until_open()
    first, set_count = ann.cards, len(ann.sets)
    taken = ann.claim_set()
    expect(ann.page.locator(".result")).to_be_visible(timeout=TIMEOUT_MS)
    ann.press("Show the replay")
    slider = ann.page.get_by_role("slider")
    expect(slider).to_be_visible()
    assert ann.cards == first
    expect(ann.page.locator(".is-hinted")).to_have_count(3)
    assert set(taken) <= set(first)
    expect(ann.page.locator(".found li")).to_have_count(set_count - 1)
    ann.screenshot("replay")
    ann.page.locator(".found button").first.click()
    expect(ann.page.locator(".slot[aria-pressed=true]")).to_have_count(3)
    slider.press("ArrowRight")
    assert ann.cards != first
    expect(ann.page.locator(".slider")).to_contain_text("end of the game")
