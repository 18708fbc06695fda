"""A closed thread can be read, and in nothing changed, but for what is used of it (M-2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from consent.permit import Permit
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import ValidationFailed
from memory.exceptions import ThreadClosed
from memory.models import Refresh, Snapshot, Thread, WatchQuestion
from memory.research import results, task_lifecycle, threads, watch_questions
from memory.research.contexts import add_thread_context, contexts_of_thread
from memory.research.types import RefreshDraft, TaskDraft, ThreadChange
from tests.support.cast import allow
from tests.support.research import LOOK, begun, reread, snapshot_draft, thread_kept


@pytest.fixture
def closed(alice: User) -> Thread:
    permit = allow(alice)
    thread = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
    with acting_as(alice.pk):
        return threads.close_thread(permit, thread)


def _question(permit: Permit, thread: Thread) -> WatchQuestion:
    return watch_questions.questions_of(permit, thread)[0]


CHANGES: dict[str, Callable[[Permit, User, Thread], object]] = {
    "a task": lambda permit, user, thread: task_lifecycle.create_task(
        permit, user, TaskDraft("risk_challenge", "What if?", thread_id=thread.pk)
    ),
    "a refresh": lambda permit, user, thread: task_lifecycle.request_refresh(permit, user, thread, {}),
    "a context": lambda permit, user, thread: add_thread_context(permit, thread, {"research_style": "Numbers"}),
    "a title": lambda permit, user, thread: threads.change_thread(permit, thread, ThreadChange(title="Other")),
    "conditions": lambda permit, user, thread: threads.change_thread(
        permit, thread, ThreadChange(refresh_conditions=("A fork",))
    ),
    "another close": lambda permit, user, thread: threads.close_thread(permit, thread),
    "a resolved question": lambda permit, user, thread: watch_questions.resolve_question(
        permit, thread, _question(permit, thread).pk
    ),
    "a reopened question": lambda permit, user, thread: watch_questions.reopen_question(
        permit, thread, _question(permit, thread).pk, LOOK
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_it_takes_no_change(alice: User, closed: Thread, change: str) -> None:
    with acting_as(alice.pk):
        permit = permit_for(alice)
        before = task_lifecycle.tasks_of(permit).count()
        with pytest.raises(ThreadClosed):
            CHANGES[change](permit, alice, closed)
        assert task_lifecycle.tasks_of(permit).count() == before
        assert contexts_of_thread(permit, closed).count() == 1


def test_it_stays_readable_and_says_since_when_it_is_closed(alice: User, closed: Thread) -> None:
    with acting_as(alice.pk):
        permit = permit_for(alice)
        assert threads.thread_of(permit, closed.pk).closed_at is not None
        assert [thesis.text for thesis in threads.theses_of(closed)] == ["Demand for SOL grows."]


def test_a_run_that_ends_after_it_was_closed_adds_nothing(alice: User) -> None:
    permit = allow(alice)
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        asked_for = task_lifecycle.request_refresh(permit, alice, thread, {})
    job, task = begun(asked_for)
    with acting_as(alice.pk):
        threads.close_thread(permit, thread)
    with pytest.raises(ThreadClosed), job.completing():
        results.store_refresh(
            permit_for(alice), task, RefreshDraft(snapshot_draft("No."), "Turned."), after=None, look=LOOK
        )

    assert reread(alice, thread).current_thesis == "Demand for SOL grows."
    with acting_as(alice.pk):
        assert (Refresh.objects.count(), Snapshot.objects.count()) == (0, 1)


def test_what_was_stated_for_it_can_be_blocked_all_the_same(alice: User, closed: Thread) -> None:
    with acting_as(alice.pk):
        permit = permit_for(alice)
        threads.change_thread(permit, closed, ThreadChange(consent_blocked=True))
        assert [context.consent_blocked for context in contexts_of_thread(permit, closed)] == [True]


@pytest.mark.parametrize("change", [ThreadChange(state="open"), ThreadChange(consent_blocked=False)])
def test_neither_closing_nor_blocking_is_taken_back(alice: User, closed: Thread, change: ThreadChange) -> None:
    with pytest.raises(ValidationFailed), acting_as(alice.pk):
        threads.change_thread(permit_for(alice), closed, change)


def test_an_open_one_is_renamed_and_given_conditions(alice: User) -> None:
    permit = allow(alice)
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        threads.change_thread(permit, thread, ThreadChange(title="SOL 值得吗？", refresh_conditions=("分叉",)))

    changed = reread(alice, thread)
    assert (changed.title, changed.refresh_conditions, changed.state) == ("SOL 值得吗？", ["分叉"], "open")
