"""Nothing serious or critical, by axe's WCAG A and AA rules, and nothing too wide, on any page with real content."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import allow_everything, end_chat, new_chat, say, sign_up
from tests.web.browser.page_checks import too_wide, violations
from tests.web.support import waiting_memory_of

pytestmark = pytest.mark.browser
PAGES = (
    "/memories/", "/memories/over-time/", "/memories/unsure/", "/events/", "/portraits/", "/voice/", "/privacy/",
    "/privacy/withdraw/", "/privacy/copy/", "/privacy/erasures/", "/privacy/forget/learned/",
    "/privacy/forget/account/", "/settings/", "/settings/keys/", "/settings/signed-in/",
    "/settings/recovery-codes/", "/settings/import/", "/settings/webhooks/", "/nowhere/",
)  # fmt: skip
FOR_STRANGERS = ("/", "/sign-up/", "/sign-in/", "/recover/")


WIDE_LIGHT, NARROW_DARK = (1280, "light"), (375, "dark")


def barriers(page: Page) -> list[str]:
    """What axe finds serious or critical, on a wide light screen and a narrow dark one, once the page is there."""
    expect(page).to_have_title(re.compile("."))
    page.wait_for_load_state()
    found = []
    for width, scheme in (WIDE_LIGHT, NARROW_DARK):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        found += violations(page) + too_wide(page, width)
    page.set_viewport_size({"width": WIDE_LIGHT[0], "height": 900})
    return found


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
    waiting_memory_of(User.objects.get(username="alice"), "Alice may hold shares of Kweichow Moutai")
    new_chat(page)
    say(page, "What do I follow?")
    page.locator("summary").last.click()
    found += barriers(page)
    found += [barrier for path in PAGES for barrier in _at(page, path)]
    for listing in ("/memories/", "/events/"):
        page.goto(listing)
        page.locator(".memory__text a").first.click()
        found += barriers(page)
    found += barriers_of_forgetting(page)
    found += barriers_of_a_copy(page)
    assert found == []


def barriers_of_forgetting(page: Page) -> list[str]:
    """The confirmation, the receipt while it runs and when it is done, with and without signing in, and the list."""
    page.get_by_role("link", name="Forget this event…").click()
    found = barriers(page)
    page.get_by_role("button", name="Forget this event").click()
    found += barriers(page)
    drain()
    expect(page.get_by_role("link", name="Download the certificate")).to_be_visible()
    page.get_by_text("What was forgotten in each").click()
    found += barriers(page)
    found += _at(page, page.locator("#certificate-link").inner_text())
    return found + _at(page, "/privacy/erasures/")


def barriers_of_a_copy(page: Page) -> list[str]:
    """The list of exports while one is built and when it is ready."""
    page.goto("/privacy/copy/")
    page.get_by_role("button", name="Collect my data").click()
    found = barriers(page)
    drain()
    page.get_by_text("How to check that it is whole").click()
    return found + barriers(page)


def _at(page: Page, path: str) -> list[str]:
    page.goto(path)
    return barriers(page)
