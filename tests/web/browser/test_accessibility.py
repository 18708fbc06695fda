"""Nothing serious or critical, by axe's WCAG A and AA rules, on any page with real content."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from foundation.outbox.tasks import drain
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import allow_everything, end_chat, new_chat, say, sign_up

pytestmark = pytest.mark.browser
OPTIONS = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa"]}}
PAGES = ("/memories/", "/events/", "/privacy/", "/settings/", "/settings/keys/", "/settings/signed-in/", "/nowhere/")
FOR_STRANGERS = ("/", "/sign-up/", "/sign-in/", "/recover/")


WIDE_LIGHT, NARROW_DARK = (1280, "light"), (375, "dark")


def barriers(page: Page) -> list[str]:
    """What axe finds serious or critical, on a wide light screen and a narrow dark one."""
    found = []
    for width, scheme in (WIDE_LIGHT, NARROW_DARK):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        found += _violations(page)
    page.set_viewport_size({"width": WIDE_LIGHT[0], "height": 900})
    return found


def _violations(page: Page) -> list[str]:
    """Page, rule and element of each."""
    return [
        f"{page.url} {rule['id']} {node['html'][:200]}"
        for rule in Axe().run(page, options=OPTIONS).response["violations"]
        if rule["impact"] in {"serious", "critical"}
        for node in rule["nodes"]
    ]


def test_no_page_has_a_barrier(open_page: OpenPage) -> None:
    page = open_page(quiet=False)  # a page that is not found is one of those looked at
    found = [barrier for path in FOR_STRANGERS for barrier in _at(page, path)]
    sign_up(page, "alice")
    found += barriers(page)
    allow_everything(page)
    found += barriers(page)
    say(page, "I follow BTC")
    end_chat(page)
    drain()
    new_chat(page)
    say(page, "What do I follow?")
    page.locator("summary").last.click()
    found += barriers(page)
    found += [barrier for path in PAGES for barrier in _at(page, path)]
    for listing in ("/memories/", "/events/"):
        page.goto(listing)
        page.locator(".memory__text a").first.click()
        found += barriers(page)
    assert found == []


def _at(page: Page, path: str) -> list[str]:
    page.goto(path)
    return barriers(page)
