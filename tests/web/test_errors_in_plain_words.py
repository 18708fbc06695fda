"""A page that fails says what happened, that nothing was lost, and what to do."""

from __future__ import annotations

from typing import Any, NoReturn

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from finclaw.web.views import chat
from foundation.accounts.models import User
from memory.exceptions import MemoryUnavailable
from tests.support.cast import allow
from tests.web.support import signed_in


def test_an_unknown_address_is_a_page_for_people_and_json_for_programs(client: Client) -> None:
    page = client.get("/nowhere/")
    assert page.status_code == 404
    assert "There is nothing here" in page.content.decode()
    answer = client.get("/api/v1/nowhere")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (OperationalError("connection refused: secret words"), 503, "Back in a moment"),
        (RuntimeError("secret words"), 500, "Something went wrong on our side"),
        (MemoryUnavailable(), 503, "Back in a moment"),
    ],
)
def test_a_failure_says_nothing_lost_and_names_the_request(
    alice: User, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, words: str
) -> None:
    allow(alice)
    monkeypatch.setattr("memory.services.item_queries.items_of", raising(error))
    browser = signed_in(alice)
    browser.raise_request_exception = False
    answer = browser.get(reverse("web:memories"))
    page = answer.content.decode()
    assert answer.status_code == status
    assert words in page
    assert answer["X-Request-Id"] in page
    assert "secret words" not in page


def test_a_page_that_fails_leaves_nothing_half_done(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    browser = signed_in(alice)
    browser.raise_request_exception = False
    monkeypatch.setattr(chat, "redirect", raising(RuntimeError()))
    assert browser.post(reverse("web:chat_new")).status_code == 500
    assert browser.get(reverse("web:chat") + "?new=1").context["sessions"] == []


def raising(error: Exception) -> Any:
    def fail(*_arguments: object, **_named: object) -> NoReturn:
        raise error

    return fail


@pytest.mark.parametrize("name", ["welcome", "sign_up", "sign_in", "recover"])
@pytest.mark.django_db
def test_every_page_carries_the_strict_policy(client: Client, name: str) -> None:
    policy = client.get(reverse(f"web:{name}"))["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
