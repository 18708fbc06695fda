"""The lists of what is remembered, and what its person may say about it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from foundation.accounts.models import User
from foundation.database.acting import acting_as
from memory.models import MemoryItem
from tests.support.cast import allow
from tests.web.support import chat_of, event_of, memory_of, said_in, signed_in, used


def listed(browser: Client, query: str = "") -> list[str]:
    """The statements of the list."""
    return [memory["text"] for memory in browser.get(reverse("web:memories") + query).context["memories"]]


def quarantined(user: User, content: str) -> MemoryItem:
    item = memory_of(user, content)
    with acting_as(user.pk):
        MemoryItem.objects.filter(pk=item.pk).update(state=MemoryItem.State.QUARANTINED)
    return item


def test_a_search_finds_by_words_among_what_the_filters_leave(alice: User) -> None:
    allow(alice)
    memory_of(alice, "Alice follows BTC")
    memory_of(alice, "爱丽丝喜欢简约的风格")
    browser = signed_in(alice)
    assert listed(browser, "?q=BTC")[0] == "Alice follows BTC"
    assert listed(browser, "?q=简约")[0] == "爱丽丝喜欢简约的风格"
    assert listed(browser, "?q=BTC&memory_type=pattern") == []


def test_the_list_shows_what_is_in_use_unless_asked_for_more(alice: User) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    browser = signed_in(alice)
    browser.post(reverse("web:memory_correct", args=[item.pk]), {"content": "Alice follows ETH"})
    assert listed(browser) == ["Alice follows ETH"]
    assert listed(browser, "?state=superseded") == ["Alice follows BTC"]
    assert set(listed(browser, "?state=all")) == {"Alice follows ETH", "Alice follows BTC"}


def test_what_i_am_not_sure_of_waits_above_the_list(alice: User) -> None:
    allow(alice)
    quarantined(alice, "Alice may like tea")
    browser = signed_in(alice)
    context = browser.get(reverse("web:memories")).context
    assert [memory["text"] for memory in context["unsure"]] == ["Alice may like tea"]
    assert context["memories"] == []
    assert browser.get(reverse("web:memories") + "?q=tea").context["unsure"] == []


def test_pages_hold_every_statement_once_in_both_directions(alice: User) -> None:
    allow(alice)
    contents = [f"Alice said {number}" for number in range(65)]
    for content in contents:
        memory_of(alice, content)
    browser = signed_in(alice)
    pages, address = [], "?"
    while address:
        context = browser.get(reverse("web:memories") + address).context
        pages.append([memory["text"] for memory in context["memories"]])
        address, newer = context["older_url"], context["newer_url"]
    assert [text for page in pages for text in page] == contents[::-1]
    back = browser.get(reverse("web:memories") + newer).context
    assert [memory["text"] for memory in back["memories"]] == pages[-2]
    assert browser.get(reverse("web:memories") + back["newer_url"]).context["newer_url"] == ""


def test_a_memorys_page_tells_history_sources_and_uses(alice: User) -> None:
    allow(alice)
    session = chat_of(alice, "I follow BTC")
    (said,) = said_in(alice, session)
    item = memory_of(alice, "Alice follows BTC", message_ids=(said.pk,))
    used(alice, session, item)
    browser = signed_in(alice)
    answer = browser.post(reverse("web:memory_correct", args=[item.pk]), {"content": "Alice follows ETH"}, follow=True)
    context = answer.context
    assert [step["text"] for step in context["history"]] == ["Alice follows ETH", "Alice follows BTC"]
    assert [step["reason"] for step in context["history"]] == ["You corrected it", "First noted"]
    assert [source["quote"] for source in context["sources"]] == ["I follow BTC"]
    assert [use["session_id"] for use in context["uses"]] == [session.pk]


@pytest.mark.parametrize(
    ("headers", "template"),
    [
        ({"HX-Request": "true", "HX-Target": "memory"}, "web/partials/memory_facts.html"),
        ({"HX-Request": "true"}, "components/memory_actions.html"),
    ],
)
def test_a_confirmation_answers_the_piece_of_the_page_it_came_from(
    alice: User, headers: dict[str, str], template: str
) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    answer = signed_in(alice).post(reverse("web:memory_confirm", args=[item.pk]), headers=headers)
    assert answer.templates[0].name == template
    assert "Confirmed, thank you" in answer.content.decode()
    assert answer.context["memory"]["provenance"] == "confirmed_by_user"


def test_an_event_shows_its_own_wall_clock_and_what_was_learned(alice: User) -> None:
    allow(alice)
    session = chat_of(alice, "I bought a bicycle")
    (said,) = said_in(alice, session)
    memory_of(alice, "Alice owns a bicycle", message_ids=(said.pk,))
    event = event_of(alice, session, "a/b:1", "2 March 2026: Alice bought a bicycle.")
    with acting_as(alice.pk):
        event.message_ids = [said.pk]
        event.save()
    page = signed_in(alice).get(reverse("web:event", args=["a/b:1"]))
    assert page.context["event"]["occurred_at"].hour == 17  # 09:30 UTC in Shanghai
    assert "17:30" in page.content.decode()
    assert [memory["text"] for memory in page.context["related"]] == ["Alice owns a bicycle"]


@pytest.mark.parametrize("name", ["memories", "events"])
def test_without_the_learning_scope_nothing_is_listed(alice: User, name: str) -> None:
    allow(alice)
    memory_of(alice, "Alice follows BTC")
    event_of(alice, chat_of(alice), "r:1", "2 March 2026: Alice follows BTC.")
    browser = signed_in(alice)
    browser.post(reverse("web:privacy_withdraw"), {"scope": "memory_learning_allowed"})
    for query in ("", "?q=BTC"):
        assert "Alice follows BTC" not in browser.get(reverse(f"web:{name}") + query).content.decode()


def test_a_chat_costs_the_same_number_of_queries_whatever_was_remembered(alice: User) -> None:
    allow(alice)
    few, many = chat_of(alice, "one"), chat_of(alice, *["more"] * 20)
    items = [memory_of(alice, f"Alice said {number}") for number in range(10)]
    used(alice, few, items[0])
    used(alice, many, *items)
    browser = signed_in(alice)
    browser.get(reverse("web:chat_session", args=[few.pk]))  # the tip is shown now
    assert queries(browser, few) == queries(browser, many)


def queries(browser: Client, session: Any) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        browser.get(reverse("web:chat_session", args=[session.pk]))
    return len(captured)
