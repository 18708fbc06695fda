"""The question below an answer, on the page and over the API, and the switch that turns it off."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import override_settings
from django.urls import reverse

from foundation.accounts.models import User
from memory.models import Thread
from tests.support.api import post
from tests.support.api import signed_in as api_of
from tests.support.cast import allow
from tests.support.model_server import ModelServer, Says
from tests.support.research import thread_kept
from tests.web.support import chat_of, signed_in

ASKS = {"content": "I hear that SOL moved a lot this week."}
SETTINGS = reverse("web:settings")
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def server() -> Iterator[ModelServer]:
    with (
        ModelServer(Says(("SOL had a good week.",))) as started,
        override_settings(OPENAI_BASE_URL=started.base_url, OPENAI_API_KEY="k", MODEL_MAX_RETRIES=0),
    ):
        yield started


@pytest.fixture
def thread(alice: User) -> Thread:
    allow(alice)
    return thread_kept(alice)


def test_it_stands_below_the_answer_with_its_thread_and_after_a_reload(alice: User, thread: Thread) -> None:
    browser, session = signed_in(alice), chat_of(alice)
    browser.post(reverse("web:chat_send", args=[session.pk]), ASKS, follow=True)
    page = browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
    assert "Your thread on SOL still leaves this open: Do fees hold?" in page
    assert f'href="{reverse("web:thread", args=[thread.pk])}"' in page


def test_the_api_tells_it_beside_the_answer_once(alice: User, thread: Thread) -> None:
    session, as_alice = chat_of(alice), api_of(alice)
    path = f"/api/sessions/{session.pk}/messages"
    first = post(as_alice, path, ASKS, key="first").json()
    assert (first["follow_up"]["thread_id"], first["follow_up"]["text"]) == (str(thread.pk), "Do fees hold?")
    assert post(as_alice, path, ASKS, key="first").json()["follow_up"] == first["follow_up"]
    assert post(as_alice, path, ASKS).json()["follow_up"] is None


def test_it_is_switched_off_over_the_api_and_under_settings(alice: User) -> None:
    allow(alice)
    as_alice = api_of(alice)
    assert as_alice.get("/api/users/me").json()["asks_follow_ups"] is True
    changed = as_alice.patch("/api/users/me", {"asks_follow_ups": False}, format="json").json()
    assert changed["asks_follow_ups"] is False
    browser = signed_in(alice)
    account = {"section": "account", "display_name": "", "time_zone": "UTC", "language": ""}
    for is_on in (True, False):
        browser.post(SETTINGS, account | ({"asks_follow_ups": "on"} if is_on else {}))
        alice.refresh_from_db()
        assert alice.asks_follow_ups is is_on
