"""Threads: where research stands, looked at again, its questions answered and asked again, closed and forgotten."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse

from consent.services import permit_for
from drift.models import DriftSignal
from drift.services import REOPENED_TOPIC
from finclaw.web.threads import draw_theses
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.models import ResearchTask, Snapshot, Thread, ThreadContext, WatchQuestion
from memory.research.contexts import effective_thread_context
from memory.research.types import ChangedInference, ResearchStatement, StatementSource, ThesisVersion
from tests.support.cast import allow
from tests.support.research import asked, refreshed, reread, snapshot_made, thread_kept
from tests.web.support import signed_in

NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture
def browser(alice: User) -> Client:
    """Alice's, who allowed everything."""
    allow(alice)
    return signed_in(alice)


def at(name: str, thread: Thread, *more: object) -> str:
    return reverse(f"web:{name}", args=[thread.pk, *more])


def shown(browser: Client, thread: Thread) -> str:
    return browser.get(at("thread", thread)).content.decode()


def snapshot_of_thread(user: User, thread: Thread) -> Snapshot:
    with acting_as(user.pk):
        return Snapshot.objects.get(thread=thread)


def question_of(user: User, thread: Thread) -> WatchQuestion:
    with acting_as(user.pk):
        return WatchQuestion.objects.get(thread=thread)


def test_an_outsider_finds_no_thread_and_changes_none(alice: User, charlie: User) -> None:
    for person in (alice, charlie):
        allow(person)
    thread = thread_kept(alice)
    question, outsider = question_of(alice, thread), signed_in(charlie)
    for name in ("thread", "thread_close", "thread_preferences", "forget_thread"):
        assert outsider.get(at(name, thread)).status_code == 404
        assert outsider.post(at(name, thread), {"title": "mine"}).status_code == 404
    assert outsider.post(at("thread_refresh", thread), {"said": "new"}).status_code == 404
    for answer in ("resolve", "reopen"):
        assert outsider.post(at("question_answer", thread, question.pk, answer)).status_code == 404
    assert "Is SOL" not in outsider.get(reverse("web:threads")).content.decode()
    assert reread(alice, thread).state == "open"


def test_the_list_says_where_each_stands(alice: User, browser: Client) -> None:
    assert "No threads yet" in browser.get(reverse("web:threads")).content.decode()
    thread_kept(alice)
    page = browser.get(reverse("web:threads")).content.decode()
    for words in ("Is SOL worth it?", "Demand for SOL grows.", "Open", "Asset: SOL"):
        assert words in page


def test_the_list_is_a_page_at_a_time(alice: User, browser: Client) -> None:
    snapshot = snapshot_made(alice)
    with acting_as(alice.pk):
        Thread.objects.bulk_create(
            Thread(
                user=alice, title=f"Thread {number}", object_kind="asset", object_name="SOL",
                current_thesis=snapshot.main_thesis, consent_version=1,
            )
            for number in range(31)
        )  # fmt: skip
    first = browser.get(reverse("web:threads"))
    assert len(first.context["threads"]) == 30
    assert len(browser.get(reverse("web:threads") + first.context["older_url"]).context["threads"]) == 1


def test_a_thread_shows_what_it_stands_on(alice: User, browser: Client) -> None:
    page = shown(browser, thread_kept(alice))
    for words in ("Demand for SOL grows.", "Fees doubled in May.", "Validators leave.", "Fees fall for a quarter.",
                  "Do fees hold?", "You have not looked at it again yet."):  # fmt: skip
        assert words in page


def test_its_thesis_is_drawn_as_it_changed_and_told_in_words(alice: User, browser: Client) -> None:
    thread = thread_kept(alice)
    refreshed(alice, thread, "Demand for SOL shrinks.", ChangedInference("Fees rise.", "Fees fall."))
    page = shown(browser, thread)
    assert page.count("timeline__bar--past") == 1
    assert page.count("timeline__bar--now") == 1
    assert "<del>Demand for SOL grows.</del>" in page
    assert "<ins>Demand for SOL shrinks.</ins>" in page
    assert "1 inference changed" in page


def test_a_thesis_said_again_goes_on_and_one_of_a_closed_thread_has_ended() -> None:
    theses = [
        ThesisVersion(NOW - timedelta(days=days), text, changed=False)
        for days, text in ((30, "It grows."), (20, "It grows."), (10, "It shrinks."))
    ]
    thread = Thread(closed_at=NOW - timedelta(days=1))
    lanes = draw_theses(thread, theses, NOW).lanes
    assert [lane.latest.words for lane in lanes] == ["It grows.", "It shrinks."]
    assert [lane.latest.begins for lane in lanes] == [theses[0].at, theses[2].at]
    assert [lane.latest.ends for lane in lanes] == [theses[2].at, thread.closed_at]


def test_no_thesis_draws_nothing() -> None:
    assert draw_theses(Thread(), [], NOW).lanes == ()


@pytest.mark.django_db(transaction=True)
def test_another_look_runs_with_what_is_new_and_says_what_changed(alice: User, browser: Client) -> None:
    thread = thread_kept(alice)
    said = {"said": "I no longer think demand grows. Fees fell 30% on 2026-06-01, according to the explorer."}
    answer = browser.post(at("thread_refresh", thread), said)
    assert "/research/tasks/" in answer["Location"]
    assert "looking at it again right now" in shown(browser, thread)
    drain()
    assert "Fees fell 30%" in browser.get(answer["Location"]).content.decode()
    page = browser.get(at("thread", thread))
    assert len(page.context["refreshes"]) == 1
    assert "Fees fell 30%" in page.content.decode()


def test_a_situation_joins_what_was_said_before(alice: User, browser: Client) -> None:
    thread = thread_kept(alice, save_user_context=True, fields={"research_style": "bottom up"})
    browser.post(at("thread_refresh", thread), {"user_focus_reason": "my pension"})
    with acting_as(alice.pk):
        used = effective_thread_context(permit_for(alice), thread)
    assert used == {"research_style": "bottom up", "user_focus_reason": "my pension"}
    assert "bottom up" in shown(browser, thread)


def test_money_takes_a_yes_and_a_refused_form_keeps_its_words(alice: User, browser: Client) -> None:
    thread = thread_kept(alice)
    page = browser.post(at("thread_refresh", thread), {"said": "Fees fell.", "constraints": "no options"})
    assert page.status_code == 400
    assert "Fees fell." in page.content.decode()
    assert list(page.context["refresh_form"].errors) == ["confirm_financial"]
    with acting_as(alice.pk):
        assert ResearchTask.objects.filter(thread=thread, route="thread_refresh").count() == 0
    sent = {"constraints": "no options", "confirm_financial": "on"}
    assert browser.post(at("thread_refresh", thread), sent).status_code == 302


def test_without_the_consent_a_situation_holds_for_one_look(alice: User) -> None:
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    browser, thread = signed_in(alice), thread_kept(alice)
    assert "for this look alone" in shown(browser, thread)
    browser.post(at("thread_refresh", thread), {"user_focus_reason": "my pension"})
    with acting_as(alice.pk):
        assert not ThreadContext.objects.exists()
        assert ResearchTask.objects.get(route="thread_refresh").overrides == {"user_focus_reason": "my pension"}


@pytest.mark.parametrize(
    ("said", "sentence"), [("帮我买入100股SOL", "从不下单"), ("Buy 100 SOL for me", "never places")]
)
def test_an_order_is_refused_where_it_was_typed(alice: User, browser: Client, said: str, sentence: str) -> None:
    page = browser.post(at("thread_refresh", thread_kept(alice)), {"said": said})
    assert page.status_code == 400
    assert sentence in page.content.decode()


def test_what_would_have_ended_the_thesis_before_is_told_apart(alice: User, browser: Client) -> None:
    held = {
        "invalidators": (ResearchStatement("If fees fall, it is over."),),
        "watch_questions": ("Has this come about: If fees fall, it is over.",),
    }
    thread = thread_kept(alice, snapshot_made(alice, "I am bullish on SOL.", **held))
    first = snapshot_of_thread(alice, thread)
    carried = ResearchStatement(
        "If fees fall, it is over.", None, (StatementSource("prompt"), StatementSource("snapshot", str(first.pk)))
    )
    assert "thesis before" not in shown(browser, thread)
    refreshed(alice, thread, "I am bearish on SOL.", invalidators=(carried,), watch_questions=())
    page = shown(browser, thread)
    own, former = page.split("What would have ended the thesis before")
    assert "If fees fall" not in own.split("What would end it")[1]
    assert "If fees fall" in former
    assert "Of the thesis before" in former


def test_a_question_is_answered_and_asked_again_and_looked_at_later(alice: User, browser: Client) -> None:
    thread = thread_kept(alice)
    question = question_of(alice, thread)
    browser.post(at("question_answer", thread, question.pk, "resolve"))
    assert reread(alice, question).state == "resolved"
    assert "Ask it again" in shown(browser, thread)
    browser.post(at("question_answer", thread, question.pk, "reopen"))
    assert reread(alice, question).state == "reopened"
    assert "It is answered" in shown(browser, thread)
    with acting_as(alice.pk):
        waiting = OutboxMessage.objects.get(topic=REOPENED_TOPIC)
    assert waiting.available_at > waiting.created_at
    assert browser.post(at("question_answer", thread, question.pk, "burn")).status_code == 404


def test_it_is_renamed_and_reminded_of(alice: User, browser: Client) -> None:
    thread = thread_kept(alice)
    browser.post(at("thread", thread), {"title": "SOL 还值得吗？", "refresh_conditions": "A fork."})
    changed = reread(alice, thread)
    assert (changed.title, changed.refresh_conditions) == ("SOL 还值得吗？", ["A fork."])
    page = browser.post(at("thread", thread), {"title": " ", "refresh_conditions": "A fork."})
    assert page.status_code == 400
    assert page.context["thread_form"].errors["title"]


def test_closing_is_asked_about_and_leaves_it_to_be_read(alice: User, browser: Client) -> None:
    thread = thread_kept(alice)
    question = question_of(alice, thread)
    assert "not be opened again" in browser.get(at("thread_close", thread)).content.decode()
    assert reread(alice, thread).state == "open"
    browser.post(at("thread_close", thread))
    assert reread(alice, thread).state == "closed"
    page = shown(browser, thread)
    assert "Demand for SOL grows." in page
    for gone in ("Look again", "It is answered", "Close it"):
        assert gone not in page
    refused = browser.post(at("thread_refresh", thread), {"said": "new"})
    assert refused.status_code == 400
    assert "can only be read" in refused.content.decode()
    assert browser.post(at("question_answer", thread, question.pk, "resolve")).status_code == 409


def test_what_was_told_for_it_can_be_used_no_more(alice: User, browser: Client) -> None:
    thread = thread_kept(alice, save_user_context=True, fields={"research_style": "bottom up"})
    assert "bottom up" in browser.get(at("thread_preferences", thread)).content.decode()
    assert at("thread_preferences", thread) in shown(browser, thread)
    browser.post(at("thread_preferences", thread))
    with acting_as(alice.pk):
        assert effective_thread_context(permit_for(alice), thread) == {}
    page = shown(browser, thread)
    assert "bottom up" in page
    assert "Used no more" in page
    assert at("thread_preferences", thread) not in page


@pytest.mark.django_db(transaction=True)
def test_forgetting_says_what_goes_and_takes_it_all(alice: User, browser: Client) -> None:
    thread = thread_kept(alice)
    asked(alice, "What speaks for ETH?")
    page = browser.get(at("forget_thread", thread)).content.decode()
    for words in ("Is SOL worth it?", "1 thread of research", "1 snapshot", "1 question to watch"):
        assert words in page
    receipt = browser.post(at("forget_thread", thread))["Location"]
    assert browser.get(at("thread", thread)).status_code == 404
    drain()
    assert "Forgotten and verified" in browser.get(receipt).content.decode()
    with acting_as(alice.pk):
        assert not Thread.objects.exists()
        assert [task.prompt for task in ResearchTask.objects.all()] == ["What speaks for ETH?"]


@pytest.mark.django_db(transaction=True)
def test_no_page_tells_of_a_thesis_turned_round(alice: User, browser: Client) -> None:
    """Those that count what is kept of a person, and what an erasure looked through, know of every table."""
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        DriftSignal.objects.create(
            user=alice, drift_id="drift_1", object_ref=f"thread:{thread.pk}", signal_kind="refresh_stance_flip",
            prior_signal={}, current_signal={}, delta_summary="The thesis turned round.", triggers_alert=True,
            consent_version=1,
        )  # fmt: skip
    addresses = [at("thread", thread), reverse("web:threads"), reverse("web:ask"), reverse("web:privacy"),
                 reverse("web:privacy_withdraw"), reverse("web:forget_profile"), reverse("web:forget_account"),
                 at("forget_thread", thread)]  # fmt: skip
    pages = [browser.get(address).content.decode() for address in addresses]
    receipt = browser.post(at("forget_thread", thread))["Location"]
    drain()
    pages.append(browser.get(receipt).content.decode())
    assert "Forgotten and verified" in pages[-1]
    assert [page for page in pages if "drift" in page.casefold() or "turned round" in page] == []
