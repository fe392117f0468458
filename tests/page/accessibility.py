"""Accessibility check of a page with axe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.page.paths import AXE

if TYPE_CHECKING:
    from playwright.sync_api import Page

RUN = """async () => {
  const rules = { "target-size": { enabled: true } };
  const { violations, passes } = await axe.run({ rules });
  return { violations, passes };
}"""

SMALL = """least => [...document.querySelectorAll("a, button, input, select, summary")]
  .map((one) => one.closest("label") ?? one)
  .map((one) => [one, one.getBoundingClientRect()])
  .filter(([, box]) => box.width > 0 && Math.min(box.width, box.height) < least)
  .map(([one, box]) => `${one.outerHTML.slice(0, 80)}: ${box.width} x ${box.height}`)"""

MIN_TARGET_PX = 24


def violations(page: Page) -> list[str]:
    """Return one line for each violated rule, with the rule and the elements."""
    page.evaluate(AXE.read_text())
    report = page.evaluate(RUN)
    assert report["passes"], "axe checked no rules"
    return [_line(violation) for violation in report["violations"]]


def small_targets(page: Page) -> list[str]:
    """Return one line for each visible control that is smaller than 24 CSS pixels in one direction."""
    small: list[str] = page.evaluate(SMALL, MIN_TARGET_PX)
    return small


def _line(violation: dict[str, Any]) -> str:
    elements = "; ".join(node["html"][:160] for node in violation["nodes"][:3])
    return f"{violation['id']} ({violation['impact']}): {violation['help']}: {elements}"
