"""No browser and no proxy keeps an answer: every address is asked by a stranger, and what shows most by Alice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import UUID

import pytest
from django.templatetags.static import static
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from consent.erasure.services import link_secret
from foundation.accounts.models import User
from tests.support.cast import allow
from tests.support.erasures import ask_to_forget
from tests.web.support import memory_of, signed_in

NO_STORE = "no-store"
MADE_UP = {"uuid": str(UUID(int=7)), "int": "1", "slug": "item", "str": "me", "path": "x", "": "1"}
PLACE = re.compile(r"<(?:(\w+):)?\w+>|\(\?P<\w+>[^)]*\)")


def addresses(resolver: URLResolver, prefix: str = "/") -> Iterator[str]:
    """Every address below, with something made up in place of each parameter."""
    for pattern in resolver.url_patterns:
        path = prefix + PLACE.sub(lambda place: MADE_UP[place[1] or ""], str(pattern.pattern))
        if isinstance(pattern, URLPattern):
            yield re.sub(r"[\^$]|\\Z", "", path)
        else:
            yield from addresses(pattern, path)


@pytest.mark.django_db
def test_no_answer_to_a_stranger_may_be_stored(client: Client) -> None:
    paths = list(addresses(get_resolver()))
    answers = {path: client.get(path) for path in paths}
    assert len(paths) > 150
    assert [path for path, answer in answers.items() if answer.get("Cache-Control") != NO_STORE] == []


def test_no_answer_with_what_is_ones_own_may_be_stored(alice: User) -> None:
    allow(alice)
    memory = memory_of(alice, "Alice follows BTC")
    tombstone = ask_to_forget(alice, timezone.now())
    certificate = reverse("web:certificate", args=[tombstone.pk])
    browser = signed_in(alice)
    paths = (
        "/chat/", "/memories/", f"/memories/{memory.pk}/", "/privacy/", "/settings/", "/privacy/copy/", "/nowhere/",
        f"{certificate}?secret={link_secret(tombstone.pk)}", "/api/users/me", "/api/memories", "/api/nowhere",
    )  # fmt: skip
    answers = {path: browser.get(path) for path in paths}
    assert {path: answer["Cache-Control"] for path, answer in answers.items()} == dict.fromkeys(paths, NO_STORE)


def test_static_files_may_be_stored(client: Client) -> None:
    assert NO_STORE not in client.get(static("finclaw/app.css"))["Cache-Control"]
