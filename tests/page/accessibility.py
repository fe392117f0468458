"""What axe has to say of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.page.notes import AXE

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUN = "async () => { const { violations, passes } = await axe.run(); return { violations, passes }; }"


def violations(page: Page) -> list[str]:
    """Return a line for every rule that the page breaks; rules and elements are named."""
    page.evaluate(AXE.read_text())
    report = page.evaluate(RUN)
    assert report["passes"], "axe has looked at nothing"
    return [_line(broken) for broken in report["violations"]]


def _line(broken: dict[str, Any]) -> str:
    where = "; ".join(node["html"][:160] for node in broken["nodes"][:3])
    return f"{broken['id']} ({broken['impact']}): {broken['help']}: {where}"
