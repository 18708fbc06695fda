"""A piece of research as it runs: how far it is, cancelled, failed, done; and what of it was forgotten."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting import acting_as
from foundation.outbox.tasks import drain
from memory.models import ResearchTask, Route
from memory.research import tasks
from memory.research.types import Outcome
from tests.support.cast import allow
from tests.support.research import MODEL, asked, begun, reread, thread_kept
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
    tasks.tell(job, task.pk, 35, "counter_thesis", [{"part": "evidence", "statements": ["Revenue rose 20%."]}])
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
    assert tasks.is_cancelled(task.pk) is True


@pytest.mark.parametrize(
    ("code", "words"), [("thread_closed", "thread was closed"), ("ZeroDivisionError", "wrong on our side")]
)
def test_one_that_failed_says_what_to_do(alice: User, browser: Client, code: str, words: str) -> None:
    task = asked(alice, QUESTION)
    with acting_as(alice.pk):
        tasks.fail(permit_for(alice), task, code)
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
    assert "Feb. 1, 2026" in page
    assert "rivals are catching up" in page
    assert "Nothing outside was looked up" in page
    assert "Simple answers, for now" in page
    assert "who argues the other side" in page


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
    assert (document.address == "") == (reread(alice, task).result_kind == "report")


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
        tasks.complete(permit_for(alice), task, Outcome("snapshot", MODEL, uuid4()))
    page = browser.get(address_of(task))
    assert page.context["document"] is None
    assert "was forgotten" in page.content.decode()


def test_its_thread_is_named(alice: User, browser: Client) -> None:
    thread = thread_kept(alice)
    page = shown(browser, asked(alice, thread_id=thread.pk))
    assert reverse("web:thread", args=[thread.pk]) in page
    assert "Is SOL worth it?" in page
