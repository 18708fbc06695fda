"""The operators' pages fit whatever screen they are opened on."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from foundation.accounts.models import User
from foundation.outbox.models import OutboxMessage
from foundation.personal_data import ConsentScope
from memory.quality.release_report import judge_release
from tests.console.test_model_costs import use_models
from tests.support.cast import allow
from tests.support.erasures import ask_to_forget

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
PHONE, DESK = 375, 1280
PAGES = (
    "index", "quality", "organisations", "historian", "drift", "model_costs", "outbox_outboxmessage_changelist",
    "accounts_user_add",
)  # fmt: skip


@pytest.fixture(params=[(PHONE, "en"), (PHONE, "zh-CN"), (DESK, "en"), (DESK, "zh-CN")])
def page(request: pytest.FixtureRequest, chromium: Browser, transactional_db: None) -> Iterator[Page]:
    width, language = request.param
    page = chromium.new_page(viewport={"width": width, "height": 812}, locale=language)
    yield page
    page.close()


@pytest.mark.parametrize(
    ("name", "columns"), [("tombstone", 5), ("auditevent", 4), ("profileconsent", 3 + len(ConsentScope))]
)
def test_a_list_shows_what_matters_without_scrolling(
    chromium: Browser,
    live_server: LiveServer,
    as_operator: Client,
    alice: User,
    name: str,
    columns: int,
) -> None:
    ask_to_forget(alice, timezone.now())
    allow(alice)
    page = chromium.new_page(viewport={"width": DESK, "height": 812})
    cookie = as_operator.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}])
    page.goto(live_server.url + reverse(f"admin:consent_{name}_changelist"))
    cells = page.locator("#result_list tbody tr:first-child > :not(.action-checkbox)")
    edges = [box["x"] + box["width"] for cell in cells.all()[:columns] if (box := cell.bounding_box())]
    listed = page.locator(".results").bounding_box()
    page.close()
    assert len(edges) == columns
    assert listed is not None
    assert max(edges) <= min(DESK, listed["x"] + listed["width"])


def test_no_page_is_wider_than_the_screen_and_no_figure_leaves_it(
    page: Page, live_server: LiveServer, as_operator: Client, dead_letter: OutboxMessage, with_a_model: None
) -> None:
    judge_release("1.0")
    use_models(kind="boundary_check", calls=1_000_000, input_tokens=10**9, cost=Decimal(54_321), unpriced_calls=99)
    cookie = as_operator.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}])
    widths = {}
    for name in PAGES:
        page.goto(live_server.url + reverse(f"admin:{name}"))
        widths[name] = page.evaluate("document.documentElement.scrollWidth")
        assert page.locator("#logout-form").count() == 1  # signed in: not the small sign-in page
    screen = page.evaluate("window.innerWidth")
    assert all(width <= screen for width in widths.values()), str(widths)

    page.goto(live_server.url + reverse("admin:index"))
    figures = page.locator(".today-topics tbody td")
    assert figures.count() == 5
    assert all((box := figure.bounding_box()) and box["x"] + box["width"] <= screen for figure in figures.all())
