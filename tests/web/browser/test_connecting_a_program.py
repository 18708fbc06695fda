"""A program sends its user to the page, is allowed, asks the API, and is disconnected; in both languages."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from foundation.accounts.models import User
from tests.support.cast import PASSWORD, allow
from tests.support.oauth import REDIRECT, Assistant, register
from tests.web.browser.conftest import OpenPage
from tests.web.browser.page_checks import too_wide, violations

pytestmark = pytest.mark.browser
SCREENSHOTS = os.environ.get("OAUTH_SCREENSHOTS", "")
ENGLISH = ("User name", "Password", "Sign in", "Allow", "Disconnect", "Disconnect it", "No program is connected")
CHINESE = ("用户名", "密码", "登录", "允许", "断开连接", "断开连接", "没有已连接的程序")


def looked_at(page: Page, width: int, name: str) -> None:
    """Nothing bars anybody, and nothing is too wide."""
    page.wait_for_load_state()
    assert violations(page) + too_wide(page, width) == []
    if SCREENSHOTS:
        page.screenshot(path=Path(SCREENSHOTS) / f"{name}-{width}.png", full_page=True)


@pytest.mark.parametrize(("language", "width", "words"), [("en", 1280, ENGLISH), ("zh-hans", 375, CHINESE)])
def test_a_program_is_allowed_and_disconnected(
    open_page: OpenPage, live_server: LiveServer, alice: User, language: str, width: int, words: tuple[str, ...]
) -> None:
    name, password, sign_in, allowing, disconnect, disconnect_it, nothing = words
    User.objects.filter(pk=alice.pk).update(language=language)
    allow(alice)
    assistant = Assistant(register(client_name="Assistant of somebody").json()["client_id"])
    page = open_page(width)
    if language != "en":
        page.goto("/")
        page.get_by_role("button", name="简体中文").click()
    page.context.route(f"{REDIRECT}*", lambda route: route.fulfill(body="connected"))

    page.goto(assistant.address(resource=f"{live_server.url}/api"))
    page.get_by_label(name).fill("alice")
    page.get_by_label(password).fill(PASSWORD)
    page.get_by_role("button", name=sign_in).click()
    expect(page.locator("main")).to_contain_text("assistant.example")
    expect(page.locator("main")).to_contain_text("Assistant of somebody")
    looked_at(page, width, f"authorize-{language}")
    page.get_by_role("button", name=allowing, exact=True).click()
    page.wait_for_url(f"{REDIRECT}*")

    [code] = parse_qs(urlsplit(page.url).query)["code"]
    assert assistant.exchange(code).status_code == 200
    headers = {"Authorization": f"Bearer {assistant.tokens['access_token']}"}
    assert page.request.get("/api/memories", headers=headers).status == 200

    page.goto("/settings/programs/")
    looked_at(page, width, f"programs-{language}")
    page.get_by_role("link", name=disconnect).click()
    looked_at(page, width, f"disconnect-{language}")
    page.get_by_role("button", name=disconnect_it, exact=True).click()
    expect(page.locator("main")).to_contain_text(nothing)
    looked_at(page, width, f"none-{language}")
    assert page.request.get("/api/memories", headers=headers).status == 401
