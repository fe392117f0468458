from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from demo.sets import all_sets
from set_core.deck import Deck
from tests.native.room import QUICK
from tests.page.seating import sit_both

if TYPE_CHECKING:
    from collections.abc import Callable

    from demo.stack import NativeStack
    from tests.native.room import Room
    from tests.page.visitor import Visitor

pytestmark = pytest.mark.page

CARDS = 81


def test_two_pages_play_a_whole_match_against_each_other(room: Room, come: Callable[..., Visitor]) -> None:
    ann, bob = sit_both(room, come)
    chance, taken = random.Random(1), {"Ann": 0, "Bob": 0}
    while True:
        player = chance.choice((ann, bob))
        player.wait_until_open()
        if player.over:
            break
        player.claim_set()
        taken[player.name] += 1
        if sum(taken.values()) == 6:
            ann.picture("table")
    left = CARDS - 3 * sum(taken.values())
    assert left in {0, 6, 9, 12, 15, 18}
    for visitor in (ann, bob):
        expect(visitor.page.locator(".result")).to_contain_text("No Set is left")
        for name, sets in taken.items():
            expect(visitor.page.get_by_role("row", name=name)).to_contain_text(str(sets))
    ann.picture("result")


def test_after_the_end_a_rematch_deals_another_game(room: Room, come: Callable[..., Visitor]) -> None:
    ann, bob = sit_both(room, come, timeLimitSeconds=2)
    for visitor in (ann, bob):
        expect(visitor.page.locator(".result")).to_contain_text("Time is up", timeout=10_000)
    ann.press("Rematch")
    expect(bob.page.locator(".result")).to_contain_text("would like one")
    bob.press("Rematch")
    for visitor in (ann, bob):
        expect(visitor.board).to_be_visible()
        assert len(visitor.cards) >= 12


def test_a_reload_in_the_middle_finds_seat_score_and_board_again(
    room: Room, come: Callable[..., Visitor]
) -> None:
    ann, bob = sit_both(room, come)
    for _ in range(3):
        ann.claim_set()
    bob.wait_until_open()
    ann.page.reload()
    ann.wait_until_open()
    ann.expect_score("Ann", 3)
    assert ann.cards == bob.cards
    ann.claim_set()
    bob.expect_score("Ann", 4)


def test_the_service_killed_in_the_middle_is_said_and_a_claim_meanwhile_counts_once(
    room: Room, come: Callable[..., Visitor], stack: NativeStack
) -> None:
    ann, bob = sit_both(room, come)
    ann.claim_set()
    ann.wait_until_open()
    chosen = ann.sets[0]
    stack.kill_rules()
    try:
        for visitor in (ann, bob):
            expect(visitor.page.locator(".banner.is-paused")).to_be_visible()
        ann.picture("paused")
        ann.choose(chosen)
    finally:
        stack.start_rules()
    for visitor in (ann, bob):
        expect(visitor.page.locator(".banner.is-paused")).to_be_hidden(timeout=20_000)
        visitor.expect_score("Ann", 2)
    bob.claim_set()
    ann.expect_score("Bob", 1)


def test_an_invalid_claim_is_refused_with_its_reason_and_the_cards_stay(
    room: Room, come: Callable[..., Visitor]
) -> None:
    slow = {**QUICK, "invalidSet": 1500}
    ann, bob = sit_both(room, come, animationMs=slow)
    chosen = ann.claim_non_set()
    expect(ann.page.locator(".verdict")).to_contain_text("is mixed")
    expect(ann.page.locator(".slot.is-refused")).to_have_count(3)
    ann.picture("mistake")
    expect(bob.page.locator(".verdict")).to_have_count(0)
    expect(bob.row("Ann")).to_contain_text("1 mistake")
    assert set(chosen) <= set(ann.cards)


def test_a_deal_without_a_set_grows_by_three_slots(room: Room, come: Callable[..., Visitor]) -> None:
    ann, _ = sit_both(room, come, seed=seed_without_a_set())
    ann.wait_until_open()
    assert len(ann.cards) in {15, 18}
    assert ann.sets
    ann.picture("expanded")


def seed_without_a_set() -> int:
    return next(seed for seed in range(1, 10_000) if not all_sets(card.id for card in Deck(seed).draw(12)))
