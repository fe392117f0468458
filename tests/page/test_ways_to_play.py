from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.native.room import QUICK
from tests.page.accessibility import violations
from tests.page.visitor import PATIENCE_MS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.native.room import Room
    from tests.page.visitor import Visitor

pytestmark = pytest.mark.page


def test_play_now_brings_two_people_to_one_table(come: Callable[..., Visitor]) -> None:
    ann, bob = come("Ann"), come("Bob")
    for visitor in (ann, bob):
        visitor.open_lobby()
        visitor.page.get_by_label("Time").select_option("600")
        visitor.page.get_by_label("A mistake costs").select_option("TIME")
        visitor.press("Find a table")
    for visitor in (ann, bob):
        expect(visitor.board).to_be_visible()
        expect(visitor.page.get_by_role("timer")).to_have_count(2)
    ann.claim_non_set()
    expect(bob.row("Ann").get_by_role("timer")).to_have_text(re.compile(r"9:5\d"))
    assert ann.cards == bob.cards


def test_a_friend_comes_by_the_link_that_the_table_shows(come: Callable[..., Visitor]) -> None:
    ann, bob = come("Ann"), come("Bob")
    ann.open_lobby()
    ann.press("Set up a table")
    link = ann.page.get_by_label("Link to this table").input_value()
    bob.page.goto(link)
    bob.page.get_by_label("Your name").fill("Bob")
    bob.press("Sit down")
    for visitor in (ann, bob):
        visitor.press("Start")
    for visitor in (ann, bob):
        expect(visitor.board).to_be_visible()
    assert ann.cards == bob.cards


def test_a_friend_needs_the_invitation_in_the_link(come: Callable[..., Visitor]) -> None:
    ann, bob = come("Ann"), come("Bob")
    ann.open_lobby()
    ann.press("Set up a table")
    expect(ann.page.get_by_label("Link to this table")).to_be_visible()
    match_id = ann.page.url.partition("#/match/")[2].partition("/")[0]
    bob.sit_down(match_id)
    expect(bob.page.get_by_text("invitation needed")).to_be_visible()


def test_the_creator_removes_a_friend_and_waits_longer(come: Callable[..., Visitor]) -> None:
    ann, bob = come("Ann"), come("Bob")
    ann.open_lobby()
    ann.press("Set up a table")
    bob.page.goto(ann.page.get_by_label("Link to this table").input_value())
    bob.page.get_by_label("Your name").fill("Bob")
    bob.press("Sit down")
    expect(ann.page.get_by_role("heading", name="Everybody is here")).to_be_visible()
    ann.press("Wait longer")
    expect(bob.page.get_by_text("There is more time to wait for players.").first).to_be_visible()
    ann.page.get_by_role("button", name="Remove Bob").click()
    expect(bob.page.get_by_text("The creator of the table has removed you.").first).to_be_visible()


def test_two_of_a_table_for_more_start_when_both_are_ready(come: Callable[..., Visitor]) -> None:
    ann, bob = come("Ann"), come("Bob")
    ann.open_lobby()
    ann.page.get_by_role("region", name="With friends").get_by_label("Players").select_option("4")
    ann.press("Set up a table")
    expect(ann.page.get_by_role("heading", name="Waiting for 3 more players")).to_be_visible()
    bob.page.goto(ann.page.url)
    bob.press("Sit down")
    for visitor in (ann, bob):
        visitor.press("Start without more players")
    for visitor in (ann, bob):
        expect(visitor.board).to_be_visible()


def test_against_bots_a_hint_shows_a_set(come: Callable[..., Visitor]) -> None:
    ann = come("Ann")
    ann.open_lobby()
    ann.page.get_by_label("Bots", exact=True).select_option("2")
    ann.page.get_by_label("Level").select_option("EASY")
    ann.press("Play bots")
    ann.wait_until_open()
    expect(ann.page.locator(".player")).to_have_count(3)
    ann.press("Hint")
    expect(ann.page.locator(".slot.is-hinted")).to_have_count(3)
    hinted = ann.page.eval_on_selector_all(".is-hinted", "all => all.map(one => Number(one.dataset.card))")
    assert tuple(sorted(hinted)) in {tuple(sorted(found)) for found in ann.sets}


def test_todays_deck_is_the_same_for_everybody(come: Callable[..., Visitor]) -> None:
    boards = []
    for name in ("Ann", "Bob"):
        visitor = come(name)
        visitor.open_lobby()
        visitor.press("Play today's deck")
        visitor.wait_until_open()
        boards.append(visitor.cards)
    assert boards[0] == boards[1]


def test_at_one_screen_whoever_calls_chooses_and_gets_the_point(come: Callable[..., Visitor]) -> None:
    ann = come("Host")
    ann.open_lobby()
    ann.press("Play at this screen")
    ann.wait_until_open()
    ann.card(ann.cards[0]).click()
    expect(ann.page.locator(".slot[aria-pressed=true]")).to_have_count(0)
    zones = ann.page.locator(".zone")
    zones.filter(has_text="Bob").click()
    expect(zones.filter(has_text="Ann")).to_be_disabled()
    assert violations(ann.page) == []
    ann.picture("one-screen")
    ann.claim_set()
    ann.expect_score("Bob", 1)
    ann.page.keyboard.press("1")
    ann.claim_set()
    ann.expect_score("Ann", 1)


def test_after_the_end_the_game_can_be_looked_through_with_what_was_missed(
    room: Room, come: Callable[..., Visitor]
) -> None:
    ann = come("Ann")
    ann.sit_down(room.match(mode="SINGLE_PLAYER", animationMs=QUICK, seed=7, timeLimitSeconds=6))
    ann.wait_until_open()
    first, seen = ann.cards, len(ann.sets)
    taken = ann.claim_set()
    expect(ann.page.locator(".result")).to_be_visible(timeout=PATIENCE_MS)
    ann.press("Look through the game")
    slider = ann.page.get_by_role("slider")
    expect(slider).to_be_visible()
    assert ann.cards == first
    expect(ann.page.locator(".is-hinted")).to_have_count(3)
    assert set(taken) <= set(first)
    expect(ann.page.locator(".found li")).to_have_count(seen - 1)
    ann.page.locator(".found button").first.click()
    expect(ann.page.locator(".slot[aria-pressed=true]")).to_have_count(3)
    slider.press("ArrowRight")
    assert ann.cards != first
    expect(ann.page.locator(".slider")).to_contain_text("the end")
