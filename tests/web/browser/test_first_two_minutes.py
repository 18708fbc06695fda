"""An empty chat says how to begin; a chat is renamed, found, ended and taken up again, with scripts and without."""

import pytest
from playwright.sync_api import Page, expect

from foundation.outbox.tasks import drain
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import allow_everything, new_chat, sign_up, wait_for_answer

pytestmark = pytest.mark.browser
PROMPT = "What do you remember about me?"


def begun(page: Page) -> Page:
    """Alice before an empty chat."""
    sign_up(page, "alice")
    allow_everything(page)
    new_chat(page)
    expect(page.locator("#composer-text")).to_be_focused()
    expect(page.locator(".starters li")).to_have_count(3)
    return page


@pytest.mark.parametrize(
    ("width", "scripts"), [(1280, True), (375, False), pytest.param(375, True, marks=pytest.mark.proof)]
)
def test_a_chat_is_begun_renamed_found_and_taken_up_again(open_page: OpenPage, width: int, *, scripts: bool) -> None:
    page = begun(open_page(width, scripts=scripts))
    page.get_by_role("button", name=PROMPT).click()
    wait_for_answer(page, 0)
    page.get_by_label("Your message").fill("I bought a vineyard in Burgundy")
    page.get_by_role("button", name="Send").click()
    wait_for_answer(page, 2)
    drain()

    page.get_by_role("button", name="Rename this chat").click()
    page.get_by_label("Name of this chat").fill("Wine")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("h1")).to_have_text("Wine")

    page.goto("/chat/search/?q=vineyards")
    expect(page.locator("#results mark")).to_have_text("vineyard")
    page.locator("#results .memory__text a").click()
    expect(page.locator("#conversation")).to_contain_text("I bought a vineyard in Burgundy")

    chat = page.url.split("?")[0]
    page.get_by_role("button", name="End chat").click()
    expect(page.get_by_text("Chat ended.")).to_be_visible()
    page.goto(chat)
    page.get_by_role("button", name="Go on with this chat").click()
    expect(page.get_by_text("The chat is open again.")).to_be_visible()
    expect(page.get_by_label("Your message")).to_be_visible()


def test_words_are_finished_in_the_composer_copied_and_said_again(open_page: OpenPage) -> None:
    page = begun(open_page())
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("link", name="Remember that I").click()
    field = page.get_by_label("Your message")
    expect(field).to_be_focused()
    page.keyboard.type("follow BTC")
    page.keyboard.press("Enter")
    wait_for_answer(page, 0)
    own = page.locator(".message--user")
    own.get_by_role("button", name="Copy").click()
    expect(own.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("() => navigator.clipboard.readText()") == "Remember that I follow BTC"
    own.get_by_role("link", name="Change and send again").click()
    expect(field).to_have_value("Remember that I follow BTC")
