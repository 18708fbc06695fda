"""The pages of terms and questions in a real browser, on a phone and on a desk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from consent.erasure import services
from consent.models import Tombstone
from consent.permit import Permit
from foundation.accounts.models import User
from tests.support.erasures import ask_to_forget

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE, DESK = 375, 1280


@pytest.fixture(params=[PHONE, DESK])
def page(
    request: pytest.FixtureRequest, chromium: Browser, live_server: LiveServer, as_operator: Client
) -> Iterator[Page]:
    """A browser in which the operator is signed in."""
    page = chromium.new_page(viewport={"width": request.param, "height": 812})
    name = django_settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": as_operator.cookies[name].value, "url": live_server.url}])
    yield page
    page.close()


@pytest.fixture
def erasures(alice: User, bob: User, charlie: User, settings: Settings, tmp_path: Path) -> Tombstone:
    """One of each urgency; answers the one that is overdue and waits for an operator."""
    settings.ERASURE_JOURNAL = str(tmp_path / "journal.jsonl")
    settings.LEGAL_PROFILE = "gdpr"
    overdue = ask_to_forget(alice, timezone.now() - timedelta(days=40))
    for person, days in ((alice, 1), (bob, 24), (charlie, 29)):
        ask_to_forget(person, timezone.now() - timedelta(days=days))
    services.escalate_erasure(overdue.pk, alice.pk, reason="sla_exceeded")
    return overdue


def test_terms_and_questions_fit_the_screen_and_break_no_policy(
    page: Page, live_server: LiveServer, alices_rows: Permit, erasures: Tombstone
) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def visit(name: str, *arguments: object) -> None:
        page.goto(live_server.url + reverse(f"admin:{name}", args=arguments))
        _look(page, name)

    visit("index")
    assert page.locator(".today-table .term-overdue").count() == 1
    visit("consent_tombstone_changelist")
    assert page.locator("#result_list .term").count() == 4
    visit("consent_tombstone_change", erasures.pk)
    assert "sla_exceeded" in page.locator("#content").inner_text()
    visit("consent_profileconsent_changelist")
    _choose_first(page, "withdraw")
    _look(page, "withdraw")
    assert page.locator(".question input[type=checkbox]").count() == 5
    page.check("input[value=save_to_profile]")
    page.click(".question input[type=submit]")
    assert "Withdrawn." in page.locator(".messagelist").inner_text()
    assert complaints == []


def _choose_first(page: Page, action: str) -> None:
    page.locator("#result_list input[name=_selected_action]").first.check()
    page.select_option("select[name=action]", action)
    page.click("button[name=index]")
    page.wait_for_selector(".question")


def _look(page: Page, name: str) -> None:
    width = page.evaluate("window.innerWidth")
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"admin-{name}-{width}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, name
