"""Looking at what is remembered, settling what is not sure, and taking changes back, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import come_back, say
from tests.web.support import waiting_memory_of

pytestmark = pytest.mark.browser


def alice_at(page: Page) -> User:
    """Alice, in a chat of hers."""
    return come_back(page)


def test_what_is_not_sure_is_settled_with_one_click_and_undone(open_page: OpenPage) -> None:
    page = open_page(375)
    waiting_memory_of(alice_at(page), "Alice may hold shares of Kweichow Moutai")
    page.goto("/memories/")
    page.get_by_role("link", name="Look at what I am not sure about").click()
    count = page.locator("#unsure-count")
    expect(count).to_have_text("1")
    page.get_by_role("button", name="Right").click()
    expect(page.get_by_text("Good, I use it from now on.")).to_be_visible()
    expect(count).to_have_text("")
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(count).to_have_text("1")
    page.get_by_role("button", name="No", exact=False).click()
    expect(page.get_by_text("Then I leave it out.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Nothing to decide")).to_be_visible()


def test_the_picture_scrolls_in_its_own_box_and_leads_to_the_memory(open_page: OpenPage) -> None:
    page = open_page(375)
    alice_at(page)
    say(page, "I live in Hamburg")
    say(page, "Actually, I live in Berlin now")
    drain()
    page.goto("/memories/over-time/")
    assert page.evaluate("document.scrollingElement.scrollWidth") == 375
    expect(page.get_by_text("today", exact=True)).to_be_in_viewport()
    lane = page.locator(".timeline__lane")
    expect(lane).to_have_count(1)
    page.get_by_label("State").select_option("Not sure")
    expect(page.locator("#results")).to_contain_text("Nothing found")
    page.get_by_label("State").select_option("Everything")
    lane.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".headline")).to_contain_text("Berlin")
