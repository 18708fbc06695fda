"""A refresh adds a snapshot and a refresh, moves the thesis on, and overwrites nothing (M-2, M-3)."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting import acting_as
from foundation.exceptions import NotFound
from memory.models import Refresh, Snapshot
from memory.research import results, threads
from memory.research.questions import questions_of
from memory.research.types import Changed, RefreshDraft
from tests.support.cast import A_MONDAY, allow
from tests.support.research import asked, begun, refreshed, reread, snapshot_draft, snapshot_made, thread_kept


def test_each_refresh_is_one_more_and_the_thread_holds_its_thesis(alice: User) -> None:
    permit = allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        thread = thread_kept(alice)
        clock.shift(timedelta(days=1))
        refreshed(alice, thread, "Demand for SOL falls.", Changed("Fees rise.", "Fees fall."), Changed("", "A fork."))
        clock.shift(timedelta(days=1))
        last = refreshed(alice, thread, "Demand for SOL falls.")

    with acting_as(alice.pk):
        after = threads.thread_of(permit, thread.pk)
        history = threads.theses_of(after)
        rows = list(threads.refreshes_of(permit, after))
    assert (after.current_thesis, after.updated_at) == ("Demand for SOL falls.", last.created_at)
    assert [(one.at - A_MONDAY, one.text, one.changed) for one in history] == [
        (timedelta(0), "Demand for SOL grows.", False),
        (timedelta(days=1), "Demand for SOL falls.", True),
        (timedelta(days=2), "Demand for SOL falls.", False),
    ]
    assert [row.thesis_before for row in rows] == ["Demand for SOL falls.", "Demand for SOL grows."]
    assert rows[1].changed_inferences == [
        {"before": "Fees rise.", "after": "Fees fall."},
        {"before": "", "after": "A fork."},
    ]


def test_snapshots_before_it_stay_as_they_were(alice: User) -> None:
    allow(alice)
    snapshot = snapshot_made(alice)
    thread = thread_kept(alice, snapshot)
    before = {name: getattr(reread(alice, snapshot), name) for name in ("main_thesis", "evidence", "created_at")}
    refreshed(alice, thread, "Demand for SOL falls.", evidence=())

    assert {name: getattr(reread(alice, snapshot), name) for name in before} == before
    with acting_as(alice.pk):
        assert Snapshot.objects.filter(thread=thread).count() == 2


def test_new_questions_join_those_that_are_asked_already(alice: User) -> None:
    permit = allow(alice)
    thread = thread_kept(alice)
    refreshed(alice, thread, "Fees fall.", watch_questions=("do fees hold?", "Who leaves?"))
    refreshed(alice, thread, "Fees fall.", watch_questions=("Who leaves?",))

    with acting_as(alice.pk):
        questions = [question.question for question in questions_of(permit, thread)]
    assert questions == ["Do fees hold?", "Who leaves?"]


def test_a_task_without_a_thread_refreshes_none(alice: User) -> None:
    allow(alice)
    job, task = begun(asked(alice))
    with pytest.raises(NotFound), job.completing():
        results.store_refresh(permit_for(alice), task, RefreshDraft(snapshot_draft(), "Nothing."))
    with acting_as(alice.pk):
        assert not Snapshot.objects.exists()
        assert not Refresh.objects.exists()
