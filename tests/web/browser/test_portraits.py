"""Events and portraits in a real browser: put right, looked back on, taken back; by anybody, on any screen."""

from __future__ import annotations

import re

import pytest
from django.test import override_settings
from playwright.sync_api import Page, expect

from foundation.accounts.models import User
from foundation.outbox.tasks import drain
from tests.support.cast import PASSWORD
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import come_back, end_chat, say
from tests.web.browser.test_accessibility import barriers

pytestmark = pytest.mark.browser
CROSSED = [pytest.param(*crossed, marks=pytest.mark.proof) for crossed in ((1280, True), (375, False))]


def at_an_event_of(page: Page, said: str) -> None:
    """The page of the event that a chat became."""
    come_back(page)
    say(page, said)
    end_chat(page)
    drain()
    page.goto("/events/")
    page.locator(".memory__text a").click()


@pytest.mark.parametrize("scripts", [True, False])
def test_an_event_is_corrected_and_taken_back(open_page: OpenPage, *, scripts: bool) -> None:
    page = open_page(375)
    at_an_event_of(page, "我搬到上海了")
    reader = page if scripts else without_scripts(open_page, page)
    before = reader.locator(".headline").inner_text()
    reader.get_by_label("What happened").fill("2026年11月22日：alice 搬到杭州了。")
    reader.get_by_role("button", name="Save the correction").click()
    expect(reader.locator(".headline")).to_contain_text("杭州")
    reader.get_by_role("button", name="Undo").click()
    expect(reader.locator(".headline")).to_have_text(before)
    expect(reader.get_by_text("Undone.")).to_be_visible()
    if scripts:
        assert barriers(reader) == []


def without_scripts(open_page: OpenPage, page: Page) -> Page:
    """The same page, signed in, where no script runs."""
    other, address = open_page(375, scripts=False), page.url
    other.goto("/sign-in/")
    other.get_by_label("User name").fill("alice")
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    other.goto(address)
    return other


def test_a_portrait_is_written_compared_and_gone_back_from(open_page: OpenPage) -> None:
    page = open_page()
    come_back(page)
    page.goto("/portraits/")
    found = barriers(page)
    page.get_by_role("link", name="Write it yourself").click()
    found += barriers(page)
    for words in ("- likes tea\n- 喜欢简约的风格", "- likes coffee\n- 喜欢简约的风格"):
        page.get_by_label("In your words").fill(words)
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved.")).to_be_visible()
    page.locator(".version summary").first.click()
    expect(page.locator(".difference del")).to_have_text("likes coffee")
    expect(page.locator(".difference ins")).to_have_text("likes tea")
    found += barriers(page)
    page.get_by_role("button", name="Go back to this version").click()
    expect(page.locator(".prose").first).to_contain_text("tea")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".prose").first).to_contain_text("coffee")
    page.goto("/portraits/?q=coffee")
    expect(page.locator("#results h2")).to_have_text("You")
    found += barriers(page)
    page.locator("#results h2 a").click()
    page.get_by_role("link", name="Forget this portrait…").click()
    found += barriers(page)
    page.get_by_role("button", name="Forget this portrait").click()
    drain()
    expect(page.locator("#receipt .badge")).to_contain_text("Forgotten and verified")
    page.goto(f"/portraits/user/{User.objects.get(username='alice').pk}/")
    expect(page.get_by_text("Nothing yet")).to_be_visible()
    assert found == []


@override_settings(PORTRAIT_REMAKE_SECONDS=0.0)
@pytest.mark.parametrize(("width", "scripts"), [(375, True), (1280, False), *CROSSED])
def test_a_line_is_put_right_where_it_stands_and_the_portrait_follows(
    open_page: OpenPage, width: int, *, scripts: bool
) -> None:
    page = open_page(width)
    come_back(page)
    say(page, "I live in Leeds. I love hiking. 我在一家书店上班。")
    drain()
    page.goto(f"/portraits/user/{User.objects.get(username='alice').pk}/")
    reader = page if scripts else without_scripts(open_page, page)
    expect(reader.get_by_role("heading", name="Tastes")).to_be_visible()
    found = barriers(reader) if scripts else []
    reader.get_by_role("link", name=re.compile("Wrong ?: Lives in Leeds")).click()
    reader.get_by_label("What is right").fill("Lives in York")
    reader.get_by_role("button", name="Save the correction").click()
    drain()
    reader.goto(f"/portraits/user/{User.objects.get(username='alice').pk}/")
    expect(reader.locator(".prose").first).to_contain_text("York")
    expect(reader.locator(".prose").first).not_to_contain_text("Lives in Leeds")
    reader.get_by_role("link", name=re.compile("Forget ?: Likes hiking")).click()
    expect(reader.get_by_role("heading", name="Forget")).not_to_have_count(0)
    assert found == []
