"""Bookmarks in a real browser: set and dropped in place, without losing one's place on the page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from foundation.accounts.models import Tenant
from tests.support.organisation import employ, know
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import come_back
from tests.web.browser.test_accessibility import barriers

pytestmark = pytest.mark.browser


def test_the_button_turns_in_place_and_keeps_the_focus(open_page: OpenPage) -> None:
    page = open_page(375)
    alice = come_back(page)
    tenant = Tenant.objects.create(name="Krugerrand Ltd")
    employ(tenant, alice)
    for text in ("Answers name their source.", "We open at nine."):
        know(tenant, text, kind="rule", subject="the shop", source="handbook")
    page.goto("/memories/")
    page.get_by_role("link", name="Your organisation").click()
    found = barriers(page)
    entry = page.get_by_role("listitem").filter(has_text="We open at nine.")
    entry.get_by_role("button", name="Bookmark").click()
    expect(entry.get_by_text("Bookmarked.")).to_be_visible()
    expect(entry.get_by_role("button", name="Drop the bookmark")).to_be_focused()
    page.get_by_role("link", name="Bookmarks").click()
    expect(page.locator(".memory__text")).to_have_text("We open at nine.")
    found += barriers(page)
    page.get_by_role("button", name="Drop the bookmark").click()
    expect(page.get_by_text("No longer bookmarked.")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Bookmark")).click()
    expect(page.get_by_role("button", name="Drop the bookmark")).to_be_focused()
    assert found == []
