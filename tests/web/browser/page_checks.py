"""What is wrong with a page as a browser shows it: barriers, and a width that does not fit."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

OPTIONS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa"]}}


def violations(page: Page) -> list[str]:
    """What axe finds serious or critical: page, rule and element of each."""
    return [
        f"{page.url} {rule['id']} {node['html'][:200]}"
        for rule in Axe().run(page, options=OPTIONS).response["violations"]
        if rule["impact"] in {"serious", "critical"}
        for node in rule["nodes"]
    ]


def too_wide(page: Page, width: int) -> list[str]:
    """The page itself never scrolls sideways; what is wide scrolls in a box of its own."""
    needed = page.evaluate("document.scrollingElement.scrollWidth")
    return [f"{page.url} needs {needed} of {width} px"] if needed > width else []
