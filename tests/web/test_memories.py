"""The lists of what is remembered, and what its person may say about it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from consent.services import permit_for
from finclaw.web.views.memories import LANES_SHOWN
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import MemoryItem, ReceiptLine
from memory.services.versions import ItemDraft
from tests.support.cast import allow
from tests.support.items import add_item
from tests.support.talk import open_session, say
from tests.web.support import chat_of, event_of, memory_of, said_in, signed_in, used


def listed(browser: Client, query: str = "") -> list[str]:
    """The statements of the list."""
    return [memory["text"] for memory in browser.get(reverse("web:memories") + query).context["memories"]]


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


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("?certainty=very", ["Alice follows ETH"]),
        ("?certainty=not_quite", ["爱丽丝喜欢简约的风格"]),
        ("?certainty=not", []),
        ("?noted=7", ["Alice follows ETH", "爱丽丝喜欢简约的风格"]),
        ("?noted=30", ["Alice follows ETH", "爱丽丝喜欢简约的风格", "Alice owns a bicycle"]),
        ("?noted=30&certainty=not_quite&memory_type=pattern", []),
        (
            "?certainty=nonsense&noted=0.5&state=no",
            ["Alice follows ETH", "爱丽丝喜欢简约的风格", "Alice owns a bicycle"],
        ),
    ],
)
def test_the_list_is_narrowed_by_certainty_and_age(alice: User, query: str, texts: list[str]) -> None:
    allow(alice)
    old, _chinese, right = (
        memory_of(alice, text) for text in ("Alice owns a bicycle", "爱丽丝喜欢简约的风格", "Alice follows ETH")
    )
    with acting_as(alice.pk):
        MemoryItem.objects.filter(pk=old.pk).update(confidence=0.6, created_at=timezone.now() - timedelta(days=20))
    browser = signed_in(alice)
    browser.post(reverse("web:memory_confirm", args=[right.pk]))
    assert listed(browser, query) == texts


def test_the_picture_draws_a_statement_once_with_all_its_versions(alice: User) -> None:
    allow(alice)
    item = memory_of(alice, "Alice follows BTC")
    with acting_as(alice.pk):
        MemoryItem.objects.filter(pk=item.pk).update(valid_at=timezone.now() - timedelta(days=90))
    memory_of(alice, "爱丽丝喜欢简约的风格")
    browser = signed_in(alice)
    browser.post(reverse("web:memory_correct", args=[item.pk]), {"content": "Alice follows ETH"})
    lanes = browser.get(reverse("web:over_time")).context["timeline"].lanes
    drawn = [[(bar.span.words, bar.span.kind) for bar in lane.bars] for lane in lanes]
    chain = [("Alice follows BTC", "past"), ("Alice follows ETH", "now")]
    assert drawn == [chain, [("爱丽丝喜欢简约的风格", "now")]]
    assert browser.get(reverse("web:over_time") + "?q=简约").context["timeline"].lanes[0].bars[0].span.kind == "now"
    narrowed = browser.get(reverse("web:over_time") + "?state=superseded").context["timeline"].lanes
    assert [[bar.span.words for bar in lane.bars] for lane in narrowed] == [[words for words, _kind in chain]]


def test_older_statements_of_the_picture_are_a_page_away(alice: User) -> None:
    allow(alice)
    for number in range(LANES_SHOWN + 1):
        memory_of(alice, f"Alice said {number}")
    browser = signed_in(alice)
    first = browser.get(reverse("web:over_time"))
    assert len(first.context["timeline"].lanes) == LANES_SHOWN
    assert "Show older" in first.content.decode()
    older = browser.get(reverse("web:over_time") + first.context["older_url"]).context["timeline"].lanes
    assert [lane.latest.words for lane in older] == ["Alice said 0"]


def test_an_empty_picture_says_what_to_do_next(alice: User) -> None:
    allow(alice)
    browser = signed_in(alice)
    assert "Start a chat" in browser.get(reverse("web:over_time")).content.decode()
    assert "Nothing found" in browser.get(reverse("web:over_time") + "?noted=7").content.decode()


@pytest.mark.parametrize(
    ("utilized", "signal", "told"),
    [
        (None, "", ""),
        (True, "", "The answer drew on it."),
        (False, "topic_change", "The answer did not need it."),
        (True, "negative", "The answer drew on it. You said it was wrong."),
        (None, "positive", "You said it was right."),
    ],
)
def test_each_use_says_how_it_was_taken(alice: User, utilized: bool | None, signal: str, told: str) -> None:
    allow(alice)
    session = chat_of(alice, "What do I follow?")
    item = memory_of(alice, "Alice follows BTC")
    used(alice, session, item)
    with acting_as(alice.pk):
        ReceiptLine.objects.update(utilized=utilized, user_feedback_signal=signal)
    (use,) = signed_in(alice).get(reverse("web:memory", args=[item.pk])).context["uses"]
    assert use["taken"] == told


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
    told = [[change["what"] for change in step["changes"]] for step in context["history"]]
    assert told == [["You corrected it"], ["I learned it from what you said"]]
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


@pytest.mark.parametrize(
    ("known", "replacing", "old", "new"),
    [
        ("I live in Hamburg", "Actually, I live in Berlin now", "Hamburg", "Berlin"),
        ("我住在汉堡", "其实我现在住在柏林", "汉堡", "柏林"),
    ],
)
def test_what_was_replaced_today_is_seen_faded_beside_what_stands(
    alice: User, known: str, replacing: str, old: str, new: str
) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, known)
    say(alice, session, replacing)
    (lane,) = signed_in(alice).get(reverse("web:over_time")).context["timeline"].lanes
    faded, standing = lane.bars
    assert (faded.span.kind, standing.span.kind) == ("past", "now")
    assert faded.x + faded.width <= standing.x
    assert [label.kind for label in lane.labels] == ["now", "past"]
    assert new in lane.labels[0].words
    assert old in lane.labels[1].words


@pytest.mark.parametrize("kind", MemoryItem.MemoryType)
def test_a_card_names_its_kind_as_the_filter_does(alice: User, kind: MemoryItem.MemoryType) -> None:
    allow(alice)
    with acting_as(alice.pk):
        item = add_item(permit_for(alice), ItemDraft("Alice follows BTC", kind, "fact", "observation", 0.9))
    browser = signed_in(alice)
    card = f"<span>{kind.label}</span>"
    assert card in browser.get(reverse("web:memories"), {"memory_type": kind.value}).content.decode()
    assert f"<dd>{kind.label}</dd>" in browser.get(reverse("web:memory", args=[item.pk])).content.decode()
