"""Snapshots and checkpoints as documents, and a snapshot kept as a thread under the consent that was shown."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from consent.services import permit_for
from finclaw.web.research_documents import ResearchDocument
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.personal_data import ConsentScope
from memory.models import Snapshot, Thread, ThreadContext
from memory.research.contexts import fields_of
from memory.research.threads import threads_of
from memory.research.types import ChangedInference, ResearchStatement, StatementSource
from tests.support.cast import allow
from tests.support.research import checkpoint_made, refreshed, snapshot_made, thread_kept
from tests.web.support import chat_of, event_of, memory_of, signed_in

WRITTEN = (
    "Demand for SOL grows.", "Fees doubled in May.", "31 May 2026", "your question", "Validators leave.",
    "Fees fall for a quarter.", "Do fees hold?", "Made of the prompt alone.", "What you told me",
)  # fmt: skip


@pytest.fixture
def browser(alice: User) -> Client:
    """Alice's, who allowed everything."""
    allow(alice)
    return signed_in(alice)


def read(browser: Client, snapshot: Snapshot) -> str:
    return browser.get(reverse("web:snapshot", args=[snapshot.pk])).content.decode()


def snapshot_page(browser: Client, snapshot: Snapshot) -> ResearchDocument:
    document: ResearchDocument = browser.get(reverse("web:snapshot", args=[snapshot.pk])).context["document"]
    return document


def kept(user: User) -> list[Thread]:
    with acting_as(user.pk):
        return list(threads_of(permit_for(user)))


def keep(user: User, browser: Client, snapshot: Snapshot, **fields: str) -> Any:
    """The form sent as it was shown, with these fields."""
    with acting_as(user.pk):
        consent_id = permit_for(user).consent_id
    sent = {"title": "Is SOL worth it?", "refresh_conditions": "Fees fall.\n\nA fork.", "consent_id": str(consent_id)}
    return browser.post(reverse("web:keep_snapshot", args=[snapshot.pk]), sent | fields)


def test_an_outsider_finds_nothing_that_was_made(alice: User, charlie: User) -> None:
    for person in (alice, charlie):
        allow(person)
    snapshot, checkpoint = snapshot_made(alice), checkpoint_made(alice)
    outsider = signed_in(charlie)
    for name, row in (("snapshot", snapshot), ("keep_snapshot", snapshot), ("checkpoint", checkpoint)):
        assert outsider.get(reverse(f"web:{name}", args=[row.pk])).status_code == 404
    assert keep(charlie, outsider, snapshot).status_code == 404
    assert kept(charlie) == []


def test_a_snapshot_reads_as_a_document(alice: User, browser: Client) -> None:
    item = memory_of(alice, "Alice holds SOL")
    event = event_of(alice, chat_of(alice), "request-1:1", "Alice bought SOL.")
    snapshot = snapshot_made(
        alice,
        evidence=(
            ResearchStatement(
                "Fees doubled in May.", datetime(2026, 5, 31, 23, 59, tzinfo=UTC), (StatementSource("prompt"),)
            ),
        ),
        told=(
            ResearchStatement("Alice holds SOL", None, (StatementSource("item", str(item.pk)),)),
            ResearchStatement("Alice bought SOL.", None, (StatementSource("event", str(event.pk)),)),
        ),
    )
    page = read(browser, snapshot)
    for words in WRITTEN:
        assert words in page
    assert reverse("web:memory", args=[item.pk]) in page
    assert reverse("web:event", args=["request-1:1"]) in page


def test_a_period_is_shown_as_written_and_a_source_once(alice: User, browser: Client) -> None:
    earlier = [snapshot_made(alice) for _ in range(2)]
    sources = (StatementSource("prompt"), *(StatementSource("snapshot", str(one.pk)) for one in earlier))
    at = datetime(2026, 9, 30, 23, 59, tzinfo=UTC)
    snapshot = snapshot_made(alice, evidence=(ResearchStatement("2026年三季度毛利率持平。", at, sources),))
    (section,) = [one for one in snapshot_page(browser, snapshot).sections if one.title == "Evidence"]
    (statement,) = section.statements
    assert statement["period"] == "2026年三季度"
    assert [one["label"] for one in statement["sources"]] == ["your question", "an earlier snapshot"]
    assert str(earlier[0].pk) in statement["sources"][1]["address"]
    assert "Sept. 30" not in read(browser, snapshot)


def test_a_day_is_that_day_wherever_its_reader_is(alice: User, browser: Client) -> None:
    alice.time_zone = "America/Los_Angeles"
    alice.save()
    day = datetime(2026, 5, 31, 23, 59, tzinfo=UTC)
    west = read(browser, snapshot_made(alice, evidence=(ResearchStatement("Fees doubled.", day),)))
    alice.time_zone = "Asia/Shanghai"
    alice.save()
    east = read(browser, snapshot_made(alice, evidence=(ResearchStatement("Fees doubled.", day),)))
    assert "31 May 2026" in west
    assert "31 May 2026" in east


def test_markup_in_its_words_is_shown_as_words(alice: User, browser: Client) -> None:
    page = read(browser, snapshot_made(alice, "<script>alert(1)</script> 涨"))
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page


def test_words_that_were_removed_are_said_to_be(alice: User, browser: Client) -> None:
    assert "forgotten at your request" in read(browser, snapshot_made(alice, ""))


def test_a_checkpoint_reads_as_a_document_and_says_that_nothing_is_done(alice: User, browser: Client) -> None:
    page = browser.get(reverse("web:checkpoint", args=[checkpoint_made(alice).pk])).content.decode()
    for words in ("Whether to buy more.", "Fees hold.", "A fork.", "I place no order"):
        assert words in page


def test_the_snapshot_of_a_refresh_says_what_changed(alice: User, browser: Client) -> None:
    refresh = refreshed(
        alice, thread_kept(alice), "Demand for SOL shrinks.", ChangedInference("Fees rise.", "Fees fall.")
    )
    page = read(browser, refresh.snapshot)
    assert "What this look changed" in page
    assert "<del>Fees rise.</del>" in page
    assert "<ins>Fees fall.</ins>" in page
    assert "Keep it as a thread" not in page


def test_the_form_proposes_when_to_look_again_by_what_it_is_about(alice: User, browser: Client) -> None:
    form = browser.get(reverse("web:keep_snapshot", args=[snapshot_made(alice).pk])).context["form"]
    assert form.initial["title"] == "SOL"
    assert "SOL reports results" in form.initial["refresh_conditions"]


def test_kept_it_is_a_thread_with_its_conditions(alice: User, browser: Client) -> None:
    answer = keep(alice, browser, snapshot_made(alice))
    (thread,) = kept(alice)
    assert answer["Location"] == reverse("web:thread", args=[thread.pk])
    assert thread.title == "Is SOL worth it?"
    assert thread.refresh_conditions == ["Fees fall.", "A fork."]


def test_kept_once_its_form_leads_to_the_thread(alice: User, browser: Client) -> None:
    snapshot = snapshot_made(alice)
    keep(alice, browser, snapshot)
    (thread,) = kept(alice)
    address = reverse("web:keep_snapshot", args=[snapshot.pk])
    assert browser.get(address)["Location"] == reverse("web:thread", args=[thread.pk])
    assert keep(alice, browser, snapshot).status_code == 400
    assert len(kept(alice)) == 1


@pytest.mark.parametrize("switched_on", [True, False])
def test_a_situation_is_kept_with_its_switch_alone(alice: User, browser: Client, *, switched_on: bool) -> None:
    fields = {"user_focus_reason": "my pension fund holds it"} | ({"save_user_context": "on"} if switched_on else {})
    answer = keep(alice, browser, snapshot_made(alice), **fields)
    assert answer.status_code == (302 if switched_on else 400)
    if not switched_on:
        assert list(answer.context["form"].errors) == ["user_focus_reason"]
        assert "my pension fund holds it" in answer.content.decode()
    assert len(kept(alice)) == switched_on
    with acting_as(alice.pk):
        stated = [fields_of(context) for context in ThreadContext.objects.all()]
    assert stated == ([{"user_focus_reason": "my pension fund holds it"}] if switched_on else [])


def test_positions_take_a_yes_of_their_own(alice: User, browser: Client) -> None:
    snapshot = snapshot_made(alice)
    fields = {"save_user_context": "on", "user_stated_position_context": "half in SOL"}
    page = keep(alice, browser, snapshot, **fields)
    assert page.status_code == 400
    assert "half in SOL" in page.content.decode()
    assert list(page.context["form"].errors) == ["confirm_financial"]
    assert kept(alice) == []
    assert keep(alice, browser, snapshot, confirm_financial="on", **fields).status_code == 302


def test_without_the_consent_its_fields_are_not_offered(alice: User) -> None:
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    browser, snapshot = signed_in(alice), snapshot_made(alice)
    page = browser.get(reverse("web:keep_snapshot", args=[snapshot.pk])).content.decode()
    assert "user_focus_reason" not in page
    assert "I need your permission" in page
    sent = keep(alice, browser, snapshot, save_user_context="on", user_focus_reason="x")
    assert sent.status_code == 400
    assert kept(alice) == []
    assert keep(alice, browser, snapshot).status_code == 302


@pytest.mark.parametrize("consent_id", ["01a203cf-0000-7000-8000-000000000000", "", "nonsense"])
def test_another_consent_than_the_one_in_force_keeps_nothing_and_loses_nothing(
    alice: User, browser: Client, consent_id: str
) -> None:
    page = keep(alice, browser, snapshot_made(alice), consent_id=consent_id)
    assert page.status_code == 400
    assert "once more" in page.content.decode() or "consent has changed" in page.content.decode()
    assert "Is SOL worth it?" in page.content.decode()
    with acting_as(alice.pk):
        assert str(permit_for(alice).consent_id) in page.content.decode()
    assert kept(alice) == []


def test_after_a_withdrawal_nothing_is_kept_and_the_page_says_where_to_decide(alice: User, browser: Client) -> None:
    snapshot = snapshot_made(alice)
    browser.post(reverse("web:privacy_withdraw"))
    page = browser.get(reverse("web:keep_snapshot", args=[snapshot.pk])).content.decode()
    assert "You withdrew your consent" in page
    assert reverse("web:privacy") in page
    assert keep(alice, browser, snapshot).status_code == 400
    assert kept(alice) == []


def test_what_was_told_at_night_bears_the_readers_day(alice: User, browser: Client) -> None:
    """A day that a text names is that day everywhere; a moment is a day where its reader lives."""
    User.objects.filter(pk=alice.pk).update(time_zone="Asia/Shanghai")
    source = StatementSource("item", str(memory_of(alice, "Follows SOL.").pk))
    told = ResearchStatement("Follows SOL.", datetime(2026, 5, 1, 16, 22, tzinfo=UTC), (source,))
    named = ResearchStatement("Fees fell on 3 May 2026.", datetime(2026, 5, 3, 23, 59, 59, 999999, tzinfo=UTC))
    page = read(browser, snapshot_made(alice, evidence=(named,), told=(told,)))
    assert "2 May 2026" in page
    assert "3 May 2026</time>" in page
    assert "1 May 2026" not in page
    assert "4 May 2026" not in page
