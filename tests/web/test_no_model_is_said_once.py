"""That no language model is connected is said once in a chat, with the way to connect one."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from foundation.accounts.models import User
from tests.support.cast import allow
from tests.support.talk import open_session
from tests.web.support import signed_in

pytestmark = pytest.mark.django_db(transaction=True)
SAID = "No language model is connected"


@pytest.fixture
def browser(alice: User) -> Client:
    allow(alice)
    return signed_in(alice)


def test_it_is_said_once_however_much_was_answered(alice: User, browser: Client) -> None:
    session = open_session(alice)
    for text in ("I follow BTC", "What do I follow?"):
        browser.post(reverse("web:chat_send", args=[session.pk]), {"content": text})
    page = browser.get(reverse("web:chat_session", args=[session.pk])).content.decode()
    assert page.count(SAID) == 1
    assert reverse("web:model") in page
    assert "Simple answers" not in page


def test_it_is_said_where_a_chat_begins_and_not_with_a_model(browser: Client, settings: Settings) -> None:
    address = reverse("web:chat") + "?new=1"
    assert SAID in browser.get(address).content.decode()
    settings.OPENAI_BASE_URL = "http://localhost:1/v1"
    assert SAID not in browser.get(address).content.decode()


def test_the_page_tells_how_to_connect_one_and_which_is(browser: Client, settings: Settings) -> None:
    assert "OPENAI_BASE_URL=" in browser.get(reverse("web:model")).content.decode()
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = "http://models.internal:1/v1", "sk-secret"
    page = browser.get(reverse("web:model")).content.decode()
    assert settings.MODEL_LARGE in page
    assert "models.internal" not in page
    assert "sk-secret" not in page
