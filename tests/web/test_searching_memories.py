"""A search on the pages finds what bears on the question, marks its words, and says so where there is nothing."""

from __future__ import annotations

import pytest
from django.test import override_settings
from django.urls import reverse

from finclaw.web.templatetags.words import highlight
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.indexing.event_terms import reindex_corrected
from memory.services.item_decisions import add_stated
from tests.support.cast import allow
from tests.web.support import chat_of, event_of, memory_of, signed_in


def vineyard_event_of(alice: User) -> None:
    """An event that a search can find."""
    session = chat_of(alice, "I bought a vineyard")
    event = event_of(alice, session, "alice:1", "Alice bought a vineyard.")
    with acting_as(alice.pk):
        reindex_corrected(alice.pk, session.pk, [event.pk])


PAGES = ("web:memories", "web:over_time", "web:events", "web:portraits")


@pytest.mark.parametrize("page", PAGES)
def test_nonsense_finds_nothing_and_the_page_says_so(alice: User, page: str) -> None:
    allow(alice)
    memory_of(alice, "Alice follows BTC")
    vineyard_event_of(alice)
    answer = signed_in(alice).get(reverse(page) + "?q=zzzqqq").content.decode()
    assert "Nothing I remember is about “zzzqqq”." in answer
    assert f'href="{reverse(page)}"' in answer
    assert "Alice follows BTC" not in answer
    assert "Alice bought a vineyard" not in answer


def test_the_words_looked_for_are_marked(alice: User) -> None:
    allow(alice)
    memory_of(alice, "Alice follows BTC")
    memory_of(alice, "爱丽丝喜欢简约的风格")
    browser = signed_in(alice)
    assert "Alice <mark>follows</mark> BTC" in browser.get(reverse("web:memories") + "?q=following").content.decode()
    assert "喜欢<mark>简约</mark>的风格" in browser.get(reverse("web:memories") + "?q=简约").content.decode()
    assert "<mark>" not in browser.get(reverse("web:memories")).content.decode()


def test_an_event_is_found_by_its_words(alice: User) -> None:
    allow(alice)
    vineyard_event_of(alice)
    answer = signed_in(alice).get(reverse("web:events") + "?q=vineyards").content.decode()
    assert "Alice bought a <mark>vineyard</mark>." in answer


def test_what_is_marked_is_escaped() -> None:
    assert highlight("<b>Tom & Ida</b>", "tom") == "&lt;b&gt;<mark>Tom</mark> &amp; Ida&lt;/b&gt;"
    assert highlight("<b>", "") == "&lt;b&gt;"


@pytest.mark.parametrize(
    ("question", "found", "not_found"),
    [
        ("Do I have children?", "I have two kids, Tom and Ida", "I never invest in tobacco companies"),
        ("我做什么工作？", "我是一家创业公司的产品经理", "I have two kids, Tom and Ida"),
        ("which chip companies", None, "I never invest in tobacco companies"),
    ],
)
def test_a_question_in_other_words_finds_what_answers_it(
    alice: User, question: str, found: str | None, not_found: str
) -> None:
    permit = allow(alice)
    with override_settings(EMBEDDER="e5"):
        with acting_as(alice.pk):
            for content in (
                "I have two kids, Tom and Ida",
                "I never invest in tobacco companies",
                "我是一家创业公司的产品经理",
            ):
                add_stated(permit, content)
        listed = signed_in(alice).get(reverse("web:memories"), {"q": question}).context["memories"]
    texts = [memory["text"] for memory in listed]
    assert found is None or found in texts
    assert not_found not in texts
