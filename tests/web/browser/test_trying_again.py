"""An answer from memory, where the model failed, is replaced when the model is asked again; it stays where not."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from pytest_django import Settings

from tests.support.model_server import Drops, ModelServer, Refuses, Says
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import come_back, say

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [375, pytest.param(1280, marks=pytest.mark.proof)])
def test_the_model_is_asked_again_where_it_failed(open_page: OpenPage, settings: Settings, width: int) -> None:
    page = open_page(width, quiet=False)  # the browser notes the 503
    come_back(page)
    with ModelServer(default=Drops(("Half of an",))) as server:
        settings.OPENAI_BASE_URL, settings.MODEL_MAX_RETRIES = server.base_url, 0
        say(page, "What moves the price of gold?")
        answer = page.locator(".message").last
        expect(answer).to_contain_text("I could not reach the language model")
        expect(answer).not_to_contain_text("Half of an")
        expect(answer.get_by_text("Answered without the language model")).to_be_visible()
        again = page.get_by_role("button", name="Try again")
        server.default = Refuses(503)
        again.click()
        expect(answer).to_contain_text("The answer could not be replaced")
        expect(answer).to_contain_text("I could not reach the language model")
        expect(again).to_be_focused()
        server.default = Says(("Real rates, ", "above all."))
        again.click()
        expect(page.get_by_text("Real rates, above all.")).to_be_visible()
        expect(again).to_have_count(0)
        page.reload()
        expect(page.locator(".message .message__text")).to_have_text(
            ["What moves the price of gold?", "Real rates, above all."]
        )


def test_without_scripts_too(open_page: OpenPage, settings: Settings) -> None:
    page = open_page(scripts=False)
    come_back(page)
    with ModelServer(default=Refuses(503)) as server:
        settings.OPENAI_BASE_URL, settings.MODEL_MAX_RETRIES = server.base_url, 0
        say(page, "What moves the price of gold?")
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_text("The language model's server failed.")).to_be_visible()
        server.default = Says(("Real rates, above all.",))
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_text("Real rates, above all.")).to_be_visible()
        expect(page.get_by_role("button", name="Try again")).to_have_count(0)
