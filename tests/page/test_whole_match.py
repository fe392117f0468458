from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from demo.client.sets import all_sets
from set_core.deck import Deck
from tests.page.pairs import join_both
from tests.support.clients import QUICK

if TYPE_CHECKING:
    from collections.abc import Callable

    from demo.stack.native import NativeStack
    from tests.page.visitor import Visitor
    from tests.support.clients import Clients

pytestmark = pytest.mark.page

CARDS = 81
WATCH_LOBBY = """
window.lobbyWasShown = false;
const watch = () => { lobbyWasShown ||= document.querySelector(".lobby") !== null; };
new MutationObserver(watch).observe(document, { childList: true, subtree: true });
"""


def test_two_visitors_play_a_whole_match(clients: Clients, new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = join_both(clients, new_visitor)
    rng, taken = random.Random(1), {"Ann": 0, "Bob": 0}
    while True:
        player = rng.choice((ann, bob))
        player.wait_until_open()
        if player.over:
            break
        player.claim_set()
        taken[player.name] += 1
        if sum(taken.values()) == 6:
            ann.screenshot("match")
    left = CARDS - 3 * sum(taken.values())
    assert left in {0, 6, 9, 12, 15, 18}
    for visitor in (ann, bob):
        expect(visitor.page.locator(".result")).to_contain_text("No Set is left")
        for name, sets in taken.items():
            expect(visitor.page.get_by_role("row", name=name)).to_contain_text(str(sets))


def test_a_rematch_starts_another_game(clients: Clients, new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = join_both(clients, new_visitor, timeLimitSeconds=2)
    for visitor in (ann, bob):
        expect(visitor.page.locator(".result")).to_contain_text("Time is up", timeout=10_000)
    ann.press("Rematch")
    expect(bob.page.locator(".result")).to_contain_text(re.compile("requested by .Ann"))
    bob.press("Rematch")
    for visitor in (ann, bob):
        expect(visitor.board).to_be_visible()
        assert len(visitor.cards) >= 12


def test_a_reload_keeps_seat_score_and_board(clients: Clients, new_visitor: Callable[..., Visitor]) -> None:
    ann, bob = join_both(clients, new_visitor)
    for _ in range(3):
        ann.claim_set()
    bob.wait_until_open()
    ann.page.add_init_script(WATCH_LOBBY)
    ann.page.reload()
    ann.wait_until_open()
    ann.expect_score("Ann", 3)
    assert ann.page.evaluate("lobbyWasShown") is False
    assert ann.cards == bob.cards
    ann.claim_set()
    bob.expect_score("Ann", 4)


def test_an_outage_is_shown_and_a_claim_in_it_counts_once(
    clients: Clients, new_visitor: Callable[..., Visitor], stack: NativeStack
) -> None:
    ann, bob = join_both(clients, new_visitor)
    ann.claim_set()
    ann.wait_until_open()
    chosen = ann.sets[0]
    stack.kill_rules()
    try:
        for visitor in (ann, bob):
            expect(visitor.page.locator(".banner.is-paused")).to_be_visible()
        ann.choose(chosen)
    finally:
        stack.start_rules()
    for visitor in (ann, bob):
        expect(visitor.page.locator(".banner.is-paused")).to_be_hidden(timeout=20_000)
        visitor.expect_score("Ann", 2)
    bob.claim_set()
    ann.expect_score("Bob", 1)


def test_an_invalid_claim_shows_its_reason_and_keeps_the_cards(
    clients: Clients, new_visitor: Callable[..., Visitor]
) -> None:
    slow = {**QUICK, "invalidSet": 1500}
    ann, bob = join_both(clients, new_visitor, animationMs=slow)
    chosen = ann.claim_non_set()
    expect(ann.page.locator(".verdict")).to_contain_text("is mixed")
    expect(ann.page.locator(".slot.is-invalid")).to_have_count(3)
    expect(bob.page.locator(".verdict")).to_have_count(0)
    expect(bob.row("Ann")).to_contain_text("1 mistake")
    assert set(chosen) <= set(ann.cards)


def test_a_deal_without_a_set_is_expanded(clients: Clients, new_visitor: Callable[..., Visitor]) -> None:
    ann, _ = join_both(clients, new_visitor, seed=seed_without_a_set())
    ann.wait_until_open()
    assert len(ann.cards) in {15, 18}
    assert ann.sets


def seed_without_a_set() -> int:
    return next(seed for seed in range(1, 10_000) if not all_sets(card.id for card in Deck(seed).draw(12)))
