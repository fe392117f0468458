"""Accessibility check of a page with axe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.page.paths import AXE

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUN = "async () => { const { violations, passes } = await axe.run(); return { violations, passes }; }"


def violations(page: Page) -> list[str]:
    """Return one line for each violated rule, with the rule and the elements."""
    page.evaluate(AXE.read_text())
    report = page.evaluate(RUN)
    assert report["passes"], "axe checked no rules"
    return [_line(violation) for violation in report["violations"]]


def _line(violation: dict[str, Any]) -> str:
    elements = "; ".join(node["html"][:160] for node in violation["nodes"][:3])
    return f"{violation['id']} ({violation['impact']}): {violation['help']}: {elements}"
