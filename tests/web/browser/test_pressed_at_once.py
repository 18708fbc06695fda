"""A control acts as it should from the moment it can be seen, however early it is pressed."""

from __future__ import annotations

import pytest
from django.conf import settings
from playwright.sync_api import Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from foundation.accounts.models import User
from tests.support.cast import allow
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import press_as_it_appears
from tests.web.support import signed_in, waiting_memory_of

pytestmark = pytest.mark.browser
UNSURE = "/memories/unsure/"
NEXT_ANSWER = """() => {
  window.answered = new Promise(done => document.addEventListener("htmx:afterOnLoad", () => done(), { once: true }));
}"""


@pytest.fixture
def open_signed_in(open_page: OpenPage, live_server: LiveServer, alice: User) -> OpenPage:
    """Opens a page in which Alice, who allows everything, is signed in; one of her memories waits for her word."""
    allow(alice)
    waiting_memory_of(alice, "Alice may hold shares of Kweichow Moutai")
    cookie = signed_in(alice).cookies[settings.SESSION_COOKIE_NAME]

    def opened(*, quiet: bool = True) -> Page:
        page = open_page(quiet=quiet)
        page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
        return page

    return opened


def test_a_control_is_pressed_in_the_moment_a_swap_brings_it(open_signed_in: OpenPage) -> None:
    page = open_signed_in()
    page.goto(UNSURE)
    press_as_it_appears(page, "Undo")
    with page.expect_response("**/undo/"):
        page.get_by_role("button", name="Right").click()
    expect(page.get_by_role("button", name="Right")).to_be_visible()
    expect(page.locator("#unsure-count")).to_have_text("1")
    assert page.url.endswith(UNSURE)


def test_a_control_is_pressed_before_the_scripts_of_its_page_have_come(open_signed_in: OpenPage) -> None:
    page = open_signed_in()
    scripts: list[Route] = []
    page.route("**/htmx*.js", lambda route: scripts.append(route))
    page.goto(UNSURE, wait_until="commit")
    page.get_by_role("button", name="Right").click()
    for script in scripts:
        script.continue_()
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    assert page.url.endswith(UNSURE)


def test_a_control_is_pressed_while_the_scripts_of_its_page_cannot_be_had(open_signed_in: OpenPage) -> None:
    page = open_signed_in(quiet=False)  # the browser complains of the missing file
    scripts: list[Route] = []
    page.route("**/htmx*.js", lambda route: scripts.append(route))
    page.goto(UNSURE, wait_until="commit")
    page.get_by_role("button", name="Right").click()
    for script in scripts:
        script.abort()
    expect(page.get_by_text("Good, I use it from now on.")).to_be_visible()
    expect(page.get_by_text("Nothing to decide")).to_be_visible()


def test_a_control_stays_in_place_while_its_page_asks_how_far_it_is(open_signed_in: OpenPage) -> None:
    page = open_signed_in()
    page.clock.install()
    page.goto("/research/")
    page.get_by_label("What do you want to look into?").fill("What could go wrong with NVDA?")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/research/tasks/*/")
    cancel = page.get_by_role("button", name="Cancel")
    cancel.focus()
    cancel.hover()
    page.mouse.down()
    page.evaluate(NEXT_ANSWER)
    page.clock.run_for(2_000)
    page.evaluate("answered")
    page.mouse.up()
    expect(page.get_by_text("You cancelled this.")).to_be_visible()
