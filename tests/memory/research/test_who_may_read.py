"""Research is its person's alone: row-level security says so to whoever asks (T-3)."""

from __future__ import annotations

import pytest
from django.db.models import Model

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from memory.models import (
    Checkpoint,
    Refresh,
    ResearchTask,
    Snapshot,
    TaskContext,
    Thread,
    ThreadContext,
    TrainingAssetCandidate,
    WatchQuestion,
)
from memory.research import results, task_lifecycle, threads
from memory.services.sessions import start_session
from tests.support.cast import allow, group_with
from tests.support.research import checkpoint_made, refreshed, thread_kept

TABLES: tuple[type[Model], ...] = (
    Thread, ThreadContext, WatchQuestion, Snapshot, Refresh, Checkpoint, ResearchTask, TaskContext,
    TrainingAssetCandidate,
)  # fmt: skip


@pytest.fixture
def thread(alice: User, bob: User) -> Thread:
    """Alice's, with a row in every table; Bob is in a group of hers."""
    allow(alice)
    allow(bob)
    group_with(alice, [bob])
    kept = thread_kept(alice, save_user_context=True, fields={"user_focus_reason": "Fees"})
    refreshed(alice, kept, "Fees fall.")
    checkpoint_made(alice)
    return kept


def _counts(user: User) -> set[int]:
    with acting_as(user.pk):
        return {model._default_manager.count() for model in TABLES}


@pytest.mark.usefixtures("thread")
def test_no_row_is_seen_by_a_member_or_an_outsider(alice: User, bob: User, charlie: User) -> None:
    assert 0 not in _counts(alice)
    assert _counts(bob) == _counts(charlie) == {0}


def test_nor_changed_by_them(thread: Thread, bob: User) -> None:
    with acting_as(bob.pk):
        assert [model._base_manager.all().delete()[0] for model in TABLES] == [0] * len(TABLES)
        assert Thread.with_erased.filter(pk=thread.pk).update(title="Mine") == 0


def test_each_door_answers_that_there_is_nothing(thread: Thread, alice: User, bob: User) -> None:
    with acting_as(alice.pk):
        refresh, checkpoint = Refresh.objects.get(), Checkpoint.objects.get()
    with acting_as(bob.pk):
        permit = permit_for(bob)
        for read, key in (
            (threads.thread_of, thread.pk),
            (task_lifecycle.task_of, refresh.task_id),
            (results.snapshot_of, refresh.snapshot_id),
            (results.refresh_of, refresh.pk),
            (results.checkpoint_of, checkpoint.pk),
        ):
            with pytest.raises(NotFound):
                read(permit, key)
        with pytest.raises(NotFound):
            start_session(permit, bob, thread_id=thread.pk)
        assert not any(
            rows(permit).exists() for rows in (threads.threads_of, task_lifecycle.tasks_of, results.snapshots_of)
        )
