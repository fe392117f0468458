"""Chromium for the tests of the page."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

LAN_HOST = "set-page.test"
"""A host name of this machine that the browser does not trust, like an address in a local network."""

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",  # the tests may run as root; only this project's page is visited
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",  # no requests except those of the page
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP {LAN_HOST} 127.0.0.1",
]


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Start Chromium, and close it at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()
