"""The operators' pages in a real browser: nothing there breaks the content security policy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, ConsoleMessage, Page
from pytest_django.live_server_helper import LiveServer

from consent.permit import Permit
from foundation.accounts.models import User
from foundation.outbox.models import OutboxMessage
from tests.support.cast import PASSWORD
from tests.support.operators import code_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(chromium: Browser, transactional_db: None) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    yield page
    page.close()


def test_an_operators_round_has_no_complaint_in_the_console(
    page: Page, live_server: LiveServer, operator: User, alices_rows: Permit, dead_letter: OutboxMessage
) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(_told(message)) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    visited = []

    def visit(name: str, *arguments: object) -> None:
        page.goto(live_server.url + reverse(f"admin:{name}", args=arguments))
        visited.append(page.title())
        _keep_picture(page, name)

    visit("login")
    page.fill("#id_username", operator.username)
    page.fill("#id_password", PASSWORD)
    page.click("input[type=submit]")
    assert page.locator("img.second-factor-picture").evaluate("picture => picture.naturalWidth") > 0
    _keep_picture(page, "second_factor_enrol")
    page.fill("#id_code", code_of(operator))
    page.click("input[type=submit]")
    assert page.locator(".second-factor-codes li").count() == 8
    _keep_picture(page, "second_factor_codes")
    visit("index")
    assert page.locator("svg[role=img]").count() >= 1
    for name in ("memory_memoryitem", "memory_receipt", "accounts_user", "outbox_outboxmessage"):
        visit(f"{name}_changelist")
        assert page.locator("#result_list tbody tr").count() >= 1
    page.locator("#result_list input[name=_selected_action]").first.check()
    visit("accounts_user_change", operator.pk)
    visit("accounts_user_add")

    assert len(visited) == 8
    assert complaints == []


def _told(message: ConsoleMessage) -> str:
    return f"{message.text} ({message.location.get('url')})"


def _keep_picture(page: Page, name: str) -> None:
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"admin-{name}.png", full_page=True)
