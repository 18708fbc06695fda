"""The pages of long tasks: what runs, cancelled there, and told on every page once it ended."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from consent.export.archive_job import fail_export
from consent.export.services import request_export
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import ResearchTask
from memory.research import task_lifecycle
from memory.research.types import TaskOutcome
from tests.support.cast import allow
from tests.support.research import MODEL, asked, begun
from tests.support.talk import permit_of
from tests.web.support import signed_in

TASKS, NEWS = reverse("web:long_tasks"), reverse("web:task_news")


@pytest.fixture
def browser(alice: User, tmp_path: Path, settings: Settings) -> Client:
    """Alice's, who allowed everything."""
    settings.EXPORT_DIR = tmp_path / "exports"
    allow(alice)
    return signed_in(alice)


def _page(browser: Client, address: str = TASKS) -> str:
    return browser.get(address).content.decode()


def _ended(user: User) -> ResearchTask:
    _, task = begun(asked(user))
    with acting_as(user.pk):
        report = TaskOutcome(kind=ResearchTask.ResultKind.REPORT, model_id=MODEL)
        task_lifecycle.complete_task(permit_of(user), task, report)
    return task


def test_an_outsider_sees_and_cancels_nothing(alice: User, charlie: User, browser: Client) -> None:
    allow(charlie)
    task, outsider = asked(alice), signed_in(charlie)
    assert str(task.pk) not in _page(outsider)
    assert outsider.post(reverse("web:long_task_cancel", args=[task.pk])).status_code == 404
    assert str(task.pk) in _page(browser)


def test_what_has_begun_shows_its_progress_and_asks_again(alice: User, browser: Client) -> None:
    job, task = begun(asked(alice))
    task_lifecycle.report_progress(job, task.pk, 35, "evidence", [])
    request_export(alice, source="web")
    page = _page(browser)
    assert "35 per cent" in page
    assert "Waiting for its turn" in page
    assert page.count("every 2s") == 2


def test_cancelling_says_what_came_of_it(alice: User, browser: Client) -> None:
    _, running = begun(asked(alice))
    waiting = asked(alice)
    said = [
        browser.post(reverse("web:long_task_cancel", args=[task.pk]), follow=True).content.decode()
        for task in (waiting, running, waiting)
    ]
    for page, sentence in zip(
        said, ("Cancelled.", "I stop before the next step.", "It was over already."), strict=True
    ):
        assert sentence in page
    assert browser.get(reverse("web:long_task_cancel", args=[waiting.pk])).status_code == 405


def test_an_end_is_told_on_every_page_until_it_was_seen(alice: User, browser: Client) -> None:
    task = _ended(alice)
    fail_export(alice.pk, request_export(alice, source="web").pk, "OSError")
    for address in (reverse("web:voice"), reverse("web:settings"), NEWS):
        page = _page(browser, address)
        assert "Done: Research." in page
        assert "This did not work: A copy of your data." in page

    _page(browser, reverse("web:task", args=[task.pk]))
    page = _page(browser, reverse("web:voice"))
    assert "Done: Research." not in page
    assert "This did not work: A copy of your data." in page

    browser.post(NEWS)
    assert "task-news" not in _page(browser, reverse("web:voice"))


def test_who_cancelled_a_task_is_not_told_that_it_ended(alice: User, browser: Client) -> None:
    browser.post(reverse("web:task_cancel", args=[asked(alice).pk]))
    assert "task-news" not in _page(browser, reverse("web:voice"))


def test_the_news_is_asked_for_again_only_while_something_runs(alice: User, browser: Client) -> None:
    assert "every 5s" not in _page(browser, NEWS)
    asked(alice)
    page = _page(browser, reverse("web:voice"))
    assert "every 5s" in page
    assert "1 task runs in the background" in page
