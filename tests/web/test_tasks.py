"""A piece of research as it runs: how far it is, cancelled, failed, done; and what of it was forgotten."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import ResearchTask, Route
from memory.research import task_lifecycle
from memory.research.types import ChangedInference, TaskOutcome
from tests.support.cast import allow
from tests.support.research import MODEL, asked, begun, refreshed, reread, thread_kept
from tests.web.support import signed_in

QUESTION = (
    "I think NVDA will grow. Revenue rose 20% on 2026-02-01, according to the filing. But rivals are catching up."
)


@pytest.fixture
def browser(alice: User) -> Client:
    """Alice's, who allowed everything."""
    allow(alice)
    return signed_in(alice)


def address_of(task: ResearchTask) -> str:
    return reverse("web:task", args=[task.pk])


def shown(browser: Client, task: ResearchTask) -> str:
    return browser.get(address_of(task)).content.decode()


def test_an_outsider_finds_no_task(alice: User, charlie: User, browser: Client) -> None:
    allow(charlie)
    task = asked(alice)
    outsider = signed_in(charlie)
    assert outsider.get(address_of(task)).status_code == 404
    assert outsider.post(reverse("web:task_cancel", args=[task.pk])).status_code == 404
    assert browser.get(address_of(task)).status_code == 200
    assert reread(alice, task).state == "pending"


def test_one_that_waits_says_so_and_is_asked_for_again(alice: User, browser: Client) -> None:
    page = shown(browser, asked(alice))
    assert "Waiting for its turn" in page
    assert "every 2s" in page
    assert "See how far it is" in page


def test_one_that_runs_says_what_it_is_at_and_what_it_found(alice: User, browser: Client) -> None:
    job, task = begun(asked(alice, QUESTION))
    task_lifecycle.report_progress(
        job, task.pk, 35, "counter_thesis", [{"part": "evidence", "statements": ["Revenue rose 20%."]}]
    )
    page = shown(browser, task)
    assert "Arguing the other side: 35 per cent" in page
    assert 'value="35"' in page
    assert "Revenue rose 20%." in page


def test_the_page_that_watched_is_read_anew_when_it_is_over(alice: User, browser: Client) -> None:
    task = asked(alice)
    asks = {"HX-Request": "true"}
    assert "HX-Refresh" not in browser.get(address_of(task), headers=asks)
    browser.post(reverse("web:task_cancel", args=[task.pk]))
    assert browser.get(address_of(task), headers=asks)["HX-Refresh"] == "true"


def test_one_that_waits_is_cancelled_at_once(alice: User, browser: Client) -> None:
    task = asked(alice)
    answer = browser.post(reverse("web:task_cancel", args=[task.pk]), follow=True)
    assert reread(alice, task).state == "cancelled"
    page = answer.content.decode()
    assert "You cancelled this" in page
    assert "every 2s" not in page
    assert f"again={task.pk}" in page


def test_one_that_runs_stops_before_its_next_step(alice: User, browser: Client) -> None:
    _job, task = begun(asked(alice))
    answer = browser.post(reverse("web:task_cancel", args=[task.pk]), follow=True)
    assert "Stopping before the next step" in answer.content.decode()
    assert task_lifecycle.is_cancelled(task.pk) is True


def test_a_thread_looked_at_without_a_word_shows_its_title_and_is_looked_at_again_from_its_page(
    alice: User, browser: Client
) -> None:
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        task = task_lifecycle.request_refresh(permit_for(alice), alice, thread, {})
    assert (task.prompt, thread.title in shown(browser, task)) == ("", True)

    again = browser.get(reverse("web:ask"), {"again": str(task.pk)})
    assert (again.status_code, again.headers["Location"]) == (302, reverse("web:thread", args=[thread.pk]))


@pytest.mark.parametrize(
    ("code", "words"), [("thread_closed", "thread was closed"), ("ZeroDivisionError", "wrong on our side")]
)
def test_one_that_failed_says_what_to_do(alice: User, browser: Client, code: str, words: str) -> None:
    task = asked(alice, QUESTION)
    with acting_as(alice.pk):
        task_lifecycle.fail_task(permit_for(alice), task, code)
    page = shown(browser, task)
    assert words in page
    assert code not in page
    assert f"again={task.pk}" in page
    assert "rivals are catching up" in page


@pytest.mark.django_db(transaction=True)
def test_a_snapshot_is_shown_where_it_was_asked_for(alice: User, browser: Client) -> None:
    task = asked(alice, QUESTION)
    drain()
    page = shown(browser, task)
    done = reread(alice, task)
    assert done.state == "completed"
    assert "I think NVDA will grow." in page
    assert "Revenue rose 20%" in page
    assert "1 February 2026" in page
    assert "rivals are catching up" in page
    assert "Nothing outside was looked up" in page
    assert "Simple answers, for now" in page
    assert "Asked, in this order" not in page  # by rule nobody was


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("route", [route for route in Route if route is not Route.THREAD_REFRESH])
def test_what_every_route_makes_can_be_read(alice: User, browser: Client, route: Route) -> None:
    task = asked(alice, QUESTION, route.value)
    drain()
    page = browser.get(address_of(task))
    document = page.context["document"]
    assert document is not None
    assert document.note
    assert "Revenue rose 20%" in page.content.decode()
    made = reread(alice, task).result_kind
    assert (document.address == "") == (made == "report")
    assert ("Keep it, or" in page.content.decode()) == (made == "snapshot")


@pytest.mark.django_db(transaction=True)
def test_what_it_means_for_its_person_stands_at_its_end_for_24_hours(alice: User, browser: Client) -> None:
    task = asked(alice, QUESTION, "pre_execution", overrides={"constraints": "No <b>leverage</b>"})
    drain()
    page = browser.get(address_of(task))
    meant = page.content.decode().partition("What this means for you")[2]
    assert "You said: “No &lt;b&gt;leverage&lt;/b&gt;”. Does this decision keep to it?" in meant
    until = page.context["task"]["note"].expires_at
    assert f'I keep it until <time datetime="{until.astimezone(UTC):%Y-%m-%dT%H:%M}' in meant

    own = page.context["document"].address
    checkpoint = browser.get(own).content.decode()
    assert "Before a decision: Nvidia" in checkpoint
    assert "You said: “No &lt;b&gt;leverage&lt;/b&gt;”" in checkpoint.partition("What this means for you")[2]

    with time_machine.travel(until):
        assert "What this means for you" not in shown(browser, task) + browser.get(own).content.decode()


@pytest.mark.django_db(transaction=True)
def test_what_nobody_could_have_known_then_is_pointed_out(alice: User, browser: Client) -> None:
    task = asked(alice, QUESTION, as_of=datetime(2026, 1, 1, tzinfo=UTC))
    drain()
    page = browser.get(address_of(task))
    assert "could not have been known then" in page.content.decode()
    assert len(page.context["task"]["warnings"]) == 1


@pytest.mark.django_db(transaction=True)
def test_the_tip_stands_under_the_first_task_alone(alice: User, browser: Client) -> None:
    first, second = asked(alice, QUESTION), asked(alice, "Where does AMD stand?")
    drain()
    assert "Setting your preferences" in shown(browser, first)
    assert "Setting your preferences" not in shown(browser, second)


def test_what_was_forgotten_of_it_is_said(alice: User, browser: Client) -> None:
    job, task = begun(asked(alice))
    with job.completing():
        task_lifecycle.complete_task(permit_for(alice), task, TaskOutcome("snapshot", MODEL, uuid4()))
    page = browser.get(address_of(task))
    assert page.context["document"] is None
    assert "was forgotten" in page.content.decode()


def test_its_thread_is_named(alice: User, browser: Client) -> None:
    thread = thread_kept(alice)
    page = shown(browser, asked(alice, thread_id=thread.pk))
    assert reverse("web:thread", args=[thread.pk]) in page
    assert "Is SOL worth it?" in page


def test_an_outsider_can_neither_ask_about_nor_forget_it(alice: User, charlie: User, browser: Client) -> None:
    allow(charlie)
    address = reverse("web:forget_task", args=[asked(alice).pk])
    outsider = signed_in(charlie)
    assert [outsider.get(address).status_code, outsider.post(address).status_code] == [404, 404]
    assert browser.get(address).status_code == 200


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("route", [Route.SNAPSHOT, Route.PRE_EXECUTION, Route.RISK_CHALLENGE])
def test_forgetting_one_says_what_goes_and_takes_it_all(alice: User, browser: Client, route: Route) -> None:
    task, other = asked(alice, QUESTION, route.value), asked(alice, "Where does AMD stand?")
    drain()
    address = reverse("web:forget_task", args=[task.pk])
    document = browser.get(address_of(task)).context["document"]
    assert all(address in browser.get(page).content.decode() for page in (address_of(task), document.address) if page)
    question = browser.get(address).context["question"]
    assert question.text == QUESTION
    assert {"1 piece of research you asked for", "1 note on what a piece of research went by"} <= set(question.goes)
    receipt = browser.post(address)["Location"]

    listed = browser.get(reverse("web:ask")).context["tasks"]
    assert [one["task_id"] for one in listed] == [other.pk]
    assert [browser.get(page).status_code for page in (address_of(task), document.address) if page] == [404] * (
        2 if document.address else 1
    )
    drain()
    page = browser.get(receipt).content.decode()
    assert "Forgotten and verified" in page
    assert "One piece of research" in page


def test_one_that_a_thread_keeps_leads_to_forgetting_that(alice: User, browser: Client) -> None:
    thread = thread_kept(alice)
    task = ResearchTask(pk=refreshed(alice, thread, "It falls.", ChangedInference("Fees rise.", "Fees fall.")).task_id)
    instead = reverse("web:forget_thread", args=[thread.pk])
    page = shown(browser, task)
    assert instead in page
    for words in ("What this look changed", "Now: It falls.", "<ins>Fees fall.</ins>", "Go to its thread"):
        assert words in page
    assert (page.count("button--primary"), "Keep it, or" in page) == (1, False)
    for ask in (browser.get, browser.post):
        answer = ask(reverse("web:forget_task", args=[task.pk]), follow=True)
        assert answer.redirect_chain == [(instead, 302)]
        assert "It goes with the thread" in answer.content.decode()
    assert browser.get(address_of(task)).status_code == 200
