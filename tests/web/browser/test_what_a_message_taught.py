"""Under each message stands what it taught, to be taken back or settled, with scripts and without, on any screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from foundation.outbox.tasks import drain
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import come_back, say

pytestmark = pytest.mark.browser


def begin(page: Page) -> None:
    """Alice, allowing everything, in a new chat."""
    come_back(page)


def is_as_wide_as_the_screen(page: Page, width: int) -> bool:
    """Whether nothing makes the page wider than the screen."""
    return bool(page.evaluate("document.scrollingElement.scrollWidth") == width)


@pytest.mark.parametrize("width", [375, pytest.param(1280, marks=pytest.mark.proof)])
def test_what_was_noted_appears_by_itself_and_is_taken_back_where_it_stands(open_page: OpenPage, width: int) -> None:
    page = open_page(width)
    begin(page)
    say(page, "I follow BTC")
    drain()
    line = page.locator(".learned__line")
    expect(line).to_contain_text("Noted: Follows BTC")
    own = page.locator(".message--user")
    assert own.bounding_box()["y"] < line.bounding_box()["y"] < page.locator(".message").last.bounding_box()["y"]  # type: ignore[index]
    assert is_as_wide_as_the_screen(page, width)
    line.get_by_role("button", name="Undo").click()
    expect(line).to_contain_text("Left out: Follows BTC")
    expect(line.get_by_role("button", name="Undo")).to_be_focused()
    page.keyboard.press("Enter")
    expect(line).to_contain_text("Noted: Follows BTC")
    page.reload()
    expect(line).to_contain_text("Noted: Follows BTC")
    line.get_by_role("link", name="Follows BTC").click()
    expect(page.locator(".headline")).to_contain_text("Follows BTC")


def test_a_change_is_told_in_the_language_of_the_message_and_undone(open_page: OpenPage) -> None:
    page = open_page(375)
    begin(page)
    say(page, "我住在汉堡")
    drain()
    expect(page.locator(".learned__line")).to_contain_text("记下了：住在汉堡")
    say(page, "其实我现在住在柏林")
    drain()
    told = page.locator(".learned__line--changed")
    expect(told).to_contain_text("已更新：住在柏林，之前是汉堡")
    told.get_by_role("button", name="撤销").click()
    expect(page.locator(".learned__line--undone")).to_contain_text("已撤销：住在汉堡，恢复有效")
    assert is_as_wide_as_the_screen(page, 375)


def test_what_is_not_sure_is_answered_yes_or_no(open_page: OpenPage) -> None:
    page = open_page()
    begin(page)
    say(page, "I have diabetes")
    drain()
    asked = page.locator(".learned__line--asked")
    expect(asked).to_contain_text("Not sure whether this is right")
    asked.get_by_role("button", name="Yes").click()
    expect(page.locator(".learned__line--noted")).to_have_count(1)


def test_without_scripts_the_lines_stand_there_after_the_next_message(open_page: OpenPage) -> None:
    page = open_page(375, scripts=False)
    begin(page)
    page.get_by_label("Your message").fill("I follow BTC")
    page.get_by_role("button", name="Send").click()
    drain()
    page.get_by_label("Your message").fill("I have diabetes")
    page.get_by_role("button", name="Send").click()
    drain()
    page.reload()
    page.locator(".learned__line--noted").get_by_role("button", name="Undo").click()
    expect(page.locator(".learned__line--left_out")).to_contain_text("Left out: Follows BTC")
    page.locator(".learned__line--asked").get_by_role("button", name="No").click()
    expect(page.locator(".learned__line--left_out")).to_have_count(2)
    assert "/chat/" in page.url
