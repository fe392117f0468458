"""One browser and one stack for every test of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.page.browser import running_browser
from tests.page.visitor import Visitor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext

    from demo.stack import NativeStack

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
def come(browser: Browser, page_url: str) -> Iterator[Callable[..., Visitor]]:
    """Let somebody come, each with a browser profile of their own; keywords are for its context."""
    opened: list[BrowserContext] = []

    def come(name: str, **how: object) -> Visitor:
        context = browser.new_context(**{"viewport": DESKTOP, **how})  # type: ignore[arg-type]
        opened.append(context)
        return Visitor(context.new_page(), page_url, name)

    yield come
    for context in opened:
        context.close()
