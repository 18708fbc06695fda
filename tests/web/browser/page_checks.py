"""What is wrong with a page as a browser shows it: barriers, and a width that does not fit."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

OPTIONS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa"]}, "resultTypes": ["violations"]}
SCRIPT = Axe().axe_script
IS_THERE = "'axe' in window"
RULES_AND_ELEMENTS = """async options => (await axe.run(document, options)).violations
  .filter(rule => rule.impact === "serious" || rule.impact === "critical")
  .flatMap(rule => rule.nodes.map(node => [rule.id, node.html.slice(0, 200)]))"""


def violations(page: Page) -> list[str]:
    """What axe finds serious or critical: page, rule and element of each."""
    if not page.evaluate(IS_THERE):
        page.evaluate(SCRIPT)
    return [f"{page.url} {rule} {element}" for rule, element in page.evaluate(RULES_AND_ELEMENTS, OPTIONS)]


def too_wide(page: Page, width: int) -> list[str]:
    """The page itself never scrolls sideways; what is wide scrolls in a box of its own."""
    needed = page.evaluate("document.scrollingElement.scrollWidth")
    return [f"{page.url} needs {needed} of {width} px"] if needed > width else []
