"""Driver for the page: reads it, clicks and types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from demo.client.sets import a_non_set, all_sets
from tests.page.paths import SCREENSHOTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Locator, Page

TIMEOUT_MS = 20_000
POLL_MS = 20
POLLS = TIMEOUT_MS // POLL_MS
SLOTS_WITH_CARDS = ".slot:not(.is-taken)[data-card]"


class Visitor:
    """One user with a page."""

    def __init__(self, page: Page, url: str, name: str) -> None:
        self.page = page
        self.url = url
        self.name = name
        page.set_default_timeout(TIMEOUT_MS)

    def open_lobby(self) -> None:
        self.page.goto(self.url)
        self.page.get_by_label("Your name").fill(self.name)

    def join(self, match_id: str) -> None:
        """Open the link to a match, and join it."""
        self.page.goto(f"{self.url}#/match/{match_id}")
        self.page.get_by_label("Your name").fill(self.name)
        self.press("Join")

    def way(self, title: str) -> Locator:
        """Open the options of a way to play in the lobby, and return its region."""
        region = self.page.get_by_role("region", name=title)
        region.get_by_text("Options", exact=True).click()
        return region

    def press(self, button: str) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    @property
    def board(self) -> Locator:
        return self.page.get_by_role("group", name="Board")

    @property
    def cards(self) -> list[int]:
        """The cards on the board in slot order, without those of a claimed Set."""
        shown: list[str] = self.page.eval_on_selector_all(
            SLOTS_WITH_CARDS, "all => all.map(one => one.dataset.card)"
        )
        return [int(card) for card in shown]

    @property
    def sets(self) -> list[tuple[int, int, int]]:
        return all_sets(self.cards)

    def card(self, card_id: int) -> Locator:
        return self.page.locator(f'[data-card="{card_id}"]')

    def choose(self, cards: Sequence[int]) -> None:
        for card in cards:
            self.card(card).click()

    def claim_set(self) -> tuple[int, int, int]:
        """Claim the first Set, and wait until it has left the board."""
        self.wait_until_open()
        chosen = self.sets[0]
        self.choose(chosen)
        self.page.wait_for_function(LEFT_THE_BOARD, arg=list(chosen))
        return chosen

    def claim_non_set(self) -> tuple[int, int, int]:
        self.wait_until_open()
        chosen = a_non_set(self.cards)
        self.choose(chosen)
        return chosen

    def wait_until_open(self) -> None:
        """Wait until claims are possible and the board has a Set, or the game is over."""
        for _ in range(POLLS):
            if self.over or (self.open and self.sets):
                return
            self.page.wait_for_timeout(POLL_MS)
        raise AssertionError(f"{self.name}: no Set on the open board and no result: {self.cards}")

    @property
    def open(self) -> bool:
        """Whether claims are possible. The board can have no Set for a moment, before its expansion."""
        return self.page.locator(".mat.is-open").count() > 0

    @property
    def over(self) -> bool:
        return self.page.locator(".result").count() > 0

    def row(self, name: str) -> Locator:
        return self.page.locator(".player", has=self.page.locator(".name", has_text=name))

    def expect_score(self, name: str, score: int) -> None:
        expect(self.row(name).locator(".score")).to_contain_text(str(score), timeout=TIMEOUT_MS)

    def screenshot(self, name: str) -> None:
        """Save a screenshot as a test artifact."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")


LEFT_THE_BOARD = "cards => cards.every(id => !document.querySelector(`[data-card='${id}']`))"
