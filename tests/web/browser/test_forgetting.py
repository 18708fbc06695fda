"""The other half of the promise: what I ask to be forgotten is gone wherever I look, and the receipt says so."""

import pytest
from playwright.sync_api import Page, expect

from foundation.outbox.tasks import drain
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import come_back, end_chat, new_chat, say

pytestmark = pytest.mark.browser


def unfold(page: Page) -> None:
    """Open the line under the last answer."""
    page.locator("#conversation article.message").last.locator("summary").click()


@pytest.mark.parametrize("width", [375, pytest.param(1280, marks=pytest.mark.proof)])
def test_a_memory_forgotten_in_chat_is_gone_everywhere_and_proven(open_page: OpenPage, width: int) -> None:
    page = open_page(width)
    come_back(page)
    say(page, "I follow BTC")
    end_chat(page)
    drain()
    new_chat(page)
    say(page, "What do I follow?")
    chat = page.url
    unfold(page)
    item = page.locator(".fold__body .memory", has=page.get_by_role("button", name="Right"))
    item.get_by_role("link", name="Forget").click()
    expect(page.get_by_role("heading", name="Forget this memory?")).to_be_visible()
    expect(page.locator("figure")).to_contain_text("I follow BTC")
    page.get_by_role("button", name="Forget this memory").click()

    expect(page.locator(".chain__step--now")).to_contain_text("Waiting for its turn")
    drain()
    expect(page.locator("#receipt .badge")).to_contain_text("Forgotten and verified")  # without a reload
    expect(page.get_by_text("Nothing was left.")).to_be_visible()

    page.goto("/memories/")
    expect(page.locator("#results")).to_contain_text("Nothing yet")
    page.goto("/memories/?q=BTC")
    expect(page.locator("#results")).to_contain_text("Nothing found")
    expect(page.locator("#results .memory")).to_have_count(0)
    page.goto(chat)
    expect(page.locator("#conversation")).not_to_contain_text("BTC")
    expect(page.locator("#conversation .message__text").filter(has_text="[forgotten").first).to_be_visible()
    say(page, "What do I follow?")
    expect(page.locator("#conversation")).not_to_contain_text("BTC")


def test_an_account_is_deleted_and_its_receipt_stays(open_page: OpenPage) -> None:
    page = open_page()
    come_back(page)
    say(page, "I follow BTC")
    page.goto("/privacy/erasures/")
    page.get_by_role("link", name="Forget my account…").click()
    page.get_by_label("Type your user name to confirm").fill("alice")
    page.get_by_role("button", name="Forget my account").click()
    expect(page.get_by_role("heading", name="Receipt of what was forgotten")).to_be_visible()
    drain()
    expect(page.locator("#receipt .badge")).to_contain_text("Forgotten and verified")
    page.goto("/chat/")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
