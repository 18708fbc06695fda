"""Somebody writes down themselves what is to be remembered; what must not be kept is refused with the reason."""

from __future__ import annotations

import pytest
from django.urls import reverse

from foundation.accounts.models import User
from memory.models import MemoryItem
from tests.support.cast import allow, allow_all_but_learning
from tests.support.talk import memories
from tests.web.support import memory_of, signed_in

ADD = "/memories/add/"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"content": "  ", "memory_type": "insight"},
        {"content": "x" * 10_000, "memory_type": "insight"},
        {"content": "I follow BTC", "memory_type": "summary"},
        {"content": "I follow BTC", "memory_type": ""},
    ],
)
def test_what_cannot_be_kept_comes_back(alice: User, fields: dict[str, str]) -> None:
    allow(alice)
    answer = signed_in(alice).post(ADD, fields)
    assert answer.status_code == 400
    assert fields.get("content", "") in answer.content.decode()
    assert memories(alice) == []


def test_without_leave_to_learn_nothing_is_kept_and_the_page_says_where_to_give_it(alice: User) -> None:
    allow_all_but_learning(alice)
    browser = signed_in(alice)
    assert browser.post(ADD, {"content": "I follow BTC", "memory_type": "insight"}).status_code == 403
    assert reverse("web:privacy") in browser.get(ADD).content.decode()
    assert 'name="content"' not in browser.get(ADD).content.decode()
    assert ADD not in browser.get(reverse("web:memories")).content.decode()
    assert memories(alice) == []


@pytest.mark.parametrize("content", ["My card is 4111 1111 1111 1111", "我的银行卡号是 4111 1111 1111 1111"])
def test_what_must_not_be_kept_is_refused_and_cut_out(alice: User, content: str) -> None:
    allow(alice)
    answer = signed_in(alice).post(ADD, {"content": content, "memory_type": "insight"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "never written down here (bank card)" in page
    assert "4111" not in page
    assert memories(alice) == []


@pytest.mark.parametrize(
    ("content", "kind", "claims"),
    [
        ("I have two children, Tom & Ida", "insight", "fact"),
        ("我喜欢喝绿茶", "preference", "preference"),
        ("I run every morning", "pattern", "fact"),
    ],
)
def test_it_is_kept_word_for_word_and_found_at_once(alice: User, content: str, kind: str, claims: str) -> None:
    allow(alice)
    browser = signed_in(alice)
    assert ADD in browser.get(reverse("web:memories")).content.decode()
    page = browser.post(ADD, {"content": content, "memory_type": kind}, follow=True)
    (item,) = memories(alice)
    assert (item.content, item.memory_type, item.epistemic_type) == (content, kind, claims)
    assert item.provenance == MemoryItem.Provenance.CONFIRMED_BY_USER
    assert [memory["text"] for memory in page.context["memories"]] == [content]
    found = browser.get(reverse("web:memories"), {"q": content}).context["memories"]
    assert [memory["text"] for memory in found] == [content]


def test_what_is_known_is_not_kept_twice(alice: User) -> None:
    allow(alice)
    memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    told = {"content": "Alice follows BTC", "memory_type": "insight"}
    assert "I knew that, and am surer of it now" in browser.post(ADD, told, follow=True).content.decode()
    assert len(browser.get(reverse("web:memories")).context["memories"]) == 1


def test_what_is_masked_is_said(alice: User) -> None:
    allow(alice)
    told = {"content": "My mail is alice@example.org", "memory_type": "insight"}
    page = signed_in(alice).post(ADD, told, follow=True).content.decode()
    assert "I masked: an e-mail address." in page
    assert "alice@example.org" not in page
