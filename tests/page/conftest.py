"""Fixtures for the tests of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.page.browser import running_browser
from tests.page.visitor import Visitor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext

    from demo.stack.native import NativeStack

DESKTOP = {"width": 1280, "height": 800}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture
def page_url(stack: NativeStack) -> str:
    assert stack.page_url is not None, "the page is not built: run `make page`"
    return stack.page_url


@pytest.fixture
def new_visitor(browser: Browser, page_url: str) -> Iterator[Callable[..., Visitor]]:
    """Return a factory for visitors, each in its own browser context; keywords are options of the context."""
    opened: list[BrowserContext] = []

    def create(name: str, **options: object) -> Visitor:
        context = browser.new_context(**{"viewport": DESKTOP, **options})  # type: ignore[arg-type]
        opened.append(context)
        return Visitor(context.new_page(), page_url, name)

    yield create
    for context in opened:
        context.close()
