"""How I speak, in a real browser: in one chat, for good, and in somebody's own words with a preview."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import come_back, say
from tests.web.browser.test_accessibility import barriers

pytestmark = pytest.mark.browser


def at_a_chat(page: Page) -> Page:
    """Alice's first chat."""
    come_back(page)
    return page


@pytest.mark.parametrize("scripts", [True, False])
def test_the_way_of_speaking_is_changed_for_a_chat_and_back(open_page: OpenPage, *, scripts: bool) -> None:
    page = at_a_chat(open_page(375, scripts=scripts))
    at_the_top = page.locator("#mode-now")
    expect(at_the_top).to_contain_text("Balanced")
    at_the_top.click()
    page.get_by_label("Strict").check()
    page.get_by_label("For how long").select_option("5")
    page.get_by_role("button", name="Speak like this").click()
    expect(at_the_top).to_contain_text("Strict")
    expect(at_the_top).to_contain_text("for 5 more messages")
    at_the_top.click()
    page.get_by_role("button", name="Back to my usual way").click()
    expect(at_the_top).to_contain_text("Balanced")


def test_a_message_that_asks_for_another_way_changes_what_stands_at_the_top(open_page: OpenPage) -> None:
    page = at_a_chat(open_page())
    say(page, "理性一点")
    expect(page.locator("#mode-now")).to_contain_text("Rational")
    page.locator("#mode-now").click()
    expect(page.get_by_label("Rational")).to_be_checked()
    expect(page.get_by_role("button", name="Back to my usual way")).to_be_visible()
    assert barriers(page) == []


def test_what_is_typed_is_shown_as_the_model_would_read_it_and_kept_once_saved(open_page: OpenPage) -> None:
    page = at_a_chat(open_page())
    say(page, "From now on, keep your answers short")
    page.goto("/voice/")
    expect(page.locator(".memory__text")).to_contain_text("short, concise answers")
    words = page.get_by_label("How you want to be spoken to")
    words.fill("先说结论，再讲理由。")
    expect(page.locator("#preview")).to_contain_text("先说结论")
    found = barriers(page)
    page.reload()
    expect(page.locator("#preview")).not_to_contain_text("先说结论")
    words.fill("先说结论，再讲理由。")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    expect(page.locator("#preview")).to_contain_text("先说结论")
    assert found + barriers(page) == []


def test_the_preview_has_a_button_where_no_script_runs(open_page: OpenPage) -> None:
    page = at_a_chat(open_page(scripts=False))
    page.goto("/voice/")
    page.get_by_label("How you want to be spoken to").fill("Answer me in verse.")
    page.get_by_role("button", name="Look at it first").click()
    expect(page.locator("#preview")).to_contain_text("Answer me in verse.")
    expect(page.get_by_label("How you want to be spoken to")).to_have_value("Answer me in verse.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
