"""The product's promise, in a real browser: what I say in one chat is there, with its reason, in the next."""

import pytest
from playwright.sync_api import Page, expect

from foundation.outbox.tasks import drain
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import allow_everything, come_back, end_chat, new_chat, say, sign_up

pytestmark = pytest.mark.browser


def last_answer_remembers(page: Page, words: str) -> None:
    """The last answer says the words, and so does the folded line under it."""
    answer = page.locator("#conversation article.message").last
    expect(answer.locator(".message__text")).to_contain_text(words)
    answer.locator("summary").click()
    expect(answer.locator(".fold__body")).to_contain_text(words)


@pytest.mark.parametrize("width", [375, pytest.param(1280, marks=pytest.mark.proof)])
def test_what_was_said_is_remembered_in_the_next_chat_and_shown(open_page: OpenPage, width: int) -> None:
    page = open_page(width)
    sign_up(page, "alice")
    allow_everything(page)
    say(page, "I prefer concise answers and I follow BTC")
    say(page, "我现在不喜欢运动风了,喜欢简约的")
    say(page, "上周我和家人从上海搬到了成都")
    end_chat(page)
    drain()

    new_chat(page)
    say(page, "What do I follow and how should you answer?")
    last_answer_remembers(page, "BTC")
    last_answer_remembers_after_reload(page, "BTC")
    say(page, "我喜欢什么风格？")
    last_answer_remembers(page, "简约")

    page.goto("/memories/")
    expect(page.locator("#results")).to_contain_text("BTC")
    page.goto("/events/")
    expect(page.locator("#results")).to_contain_text("成都")


def last_answer_remembers_after_reload(page: Page, words: str) -> None:
    """The receipt, not the stream, is what the page is made of."""
    page.reload()
    last_answer_remembers(page, words)


def test_a_memory_is_confirmed_where_it_stands(open_page: OpenPage) -> None:
    page = open_page()
    come_back(page)
    say(page, "I follow BTC")
    drain()
    say(page, "What do I follow?")
    answer = page.locator("#conversation article.message").last
    answer.locator("summary").click()
    answer.get_by_role("button", name="Right").click()
    expect(answer.get_by_text("Confirmed, thank you")).to_be_visible()

    page.goto("/memories/")
    page.get_by_role("button", name="Right").click()
    expect(page.get_by_text("Confirmed, thank you")).to_be_visible()
    assert page.url.endswith("/memories/")
    page.locator("#results .memory__text a").click()
    expect(page.locator(".chain__step")).to_have_count(3)  # as noted, and confirmed twice


def test_a_message_is_sent_by_keyboard_alone(open_page: OpenPage) -> None:
    page = open_page()
    come_back(page)
    page.get_by_label("Your message").focus()
    page.keyboard.type("I follow BTC")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("and ETH")
    page.keyboard.press("Enter")
    expect(page.locator("#conversation article.message")).to_have_count(2)
    expect(page.locator("#conversation [aria-busy=true]")).to_have_count(0)
    expect(page.locator("h1")).to_have_text("I follow BTC and ETH")
    expect(page.locator(".message--user .message__text")).to_have_text("I follow BTC\nand ETH")
    expect(page.get_by_label("Your message")).to_be_focused()


def is_too_wide(page: Page) -> bool:
    """Whether the page scrolls sideways."""
    return bool(page.evaluate("document.scrollingElement.scrollWidth > innerWidth"))


def test_an_endless_word_wraps_and_one_too_long_is_given_back_whole(open_page: OpenPage) -> None:
    page = open_page(375, quiet=False)  # a refused message is an error to the browser
    come_back(page)
    url = "https://example.org/" + "a" * 380
    field = page.get_by_label("Your message")
    field.press_sequentially(url)
    assert not is_too_wide(page)
    say(page, url)
    assert not is_too_wide(page)
    field.fill("a" * 8_001)
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text("8001 characters, and 8000 fit")).to_be_visible()
    expect(field).to_have_value("a" * 8_001)
    assert not is_too_wide(page)


def test_what_unfolds_under_the_last_answer_is_not_behind_the_composer(open_page: OpenPage) -> None:
    page = open_page(375)
    come_back(page)
    say(page, "I follow BTC")
    drain()
    say(page, "What do I follow?")
    fold = page.locator("#conversation .fold").last
    fold.locator("summary").click()
    first, composer = fold.locator(".memory").first, page.locator(".composer")
    page.wait_for_function(
        "([fold, composer]) => fold.getBoundingClientRect().bottom <= composer.getBoundingClientRect().top",
        arg=[first.element_handle(), composer.element_handle()],
    )


def test_the_first_message_opens_a_chat_in_place(open_page: OpenPage) -> None:
    page = open_page(375)
    come_back(page)
    end_chat(page)
    expect(page.get_by_role("button", name="End chat")).to_have_count(0)
    page.get_by_label("Temporary").check()
    say(page, "I follow BTC")
    page.wait_for_url("**/chat/*/")
    expect(page.locator(".composer").get_by_label("Temporary")).to_have_count(0)
    expect(page.locator(".topbar")).to_contain_text("Temporary")
    expect(page.locator("h1")).to_have_text("I follow BTC")
    say(page, "What do I follow?")
    page.reload()
    expect(page.locator("#conversation article.message")).to_have_count(4)
    end_chat(page)
