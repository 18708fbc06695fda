"""Everything a form can do works where no script runs."""

import pytest
from playwright.sync_api import Page, expect

from foundation.outbox.tasks import drain
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import allow_everything, sign_up

pytestmark = pytest.mark.browser


def say_without_scripts(page: Page, text: str) -> None:
    """Send by a plain form, which answers with the whole page."""
    page.get_by_label("Your message").fill(text)
    page.get_by_role("button", name="Send").click()
    page.wait_for_url("**#latest")


def test_from_sign_up_to_withdrawal_without_scripts(open_page: OpenPage) -> None:
    page = open_page(scripts=False)
    sign_up(page, "alice")
    allow_everything(page)
    say_without_scripts(page, "I follow BTC")
    drain()
    page.goto("/chat/?new=1")
    say_without_scripts(page, "What do I follow?")
    answer = page.locator("#conversation article.message").last
    answer.locator("summary").click()
    expect(answer.locator(".fold__body")).to_contain_text("BTC")

    page.goto("/memories/")
    page.get_by_label("Search what I remember").fill("BTC")
    page.get_by_role("button", name="Show", exact=True).click()
    page.locator("#results .memory__text a").first.click()
    page.get_by_role("button", name="That is right").click()
    expect(page.get_by_text("Confirmed, thank you.")).to_be_visible()
    page.get_by_label("What is right").fill("Alice follows ETH")
    page.get_by_role("button", name="Save the correction").click()
    expect(page.locator(".headline")).to_have_text("Alice follows ETH")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone. I go by")).to_be_visible()
    expect(page.locator(".headline")).not_to_have_text("Alice follows ETH")

    page.goto("/privacy/copy/")
    page.get_by_role("button", name="Collect my data").click()
    expect(page.get_by_text("Reload this page to see how far it is.")).to_be_visible()
    drain()
    page.reload()
    expect(page.get_by_role("link", name="Download")).to_be_visible()

    page.goto("/memories/")
    page.locator("#results").get_by_role("link", name="Forget").first.click()
    page.get_by_label("Keep the messages").check()
    page.get_by_role("button", name="Forget this memory").click()
    expect(page.get_by_text("Reload this page to see how far it is.")).to_be_visible()
    drain()
    page.reload()
    expect(page.get_by_role("link", name="Download the certificate")).to_be_visible()

    page.goto("/privacy/")
    page.locator("#id_memory_learning_allowed").uncheck()
    page.get_by_role("button", name="Save the switches").click()
    page.get_by_role("button", name="Turn off and forget").click()
    expect(page.get_by_text("Withdrawn. This holds from now on.")).to_be_visible()
    page.goto("/privacy/")
    page.get_by_role("link", name="Withdraw everything…").click()
    page.get_by_role("button", name="Withdraw everything").click()
    expect(page.get_by_text("You withdrew everything.", exact=True)).to_be_visible()
    page.goto("/chat/")
    expect(page.get_by_text("Personalization is off")).to_be_visible()
