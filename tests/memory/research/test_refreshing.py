"""A refresh adds a snapshot and a refresh, moves the thesis on, and overwrites nothing (M-2, M-3)."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from consent.services import permit_for, withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.personal_data import ConsentScope
from memory.exceptions import ThreadMovedOn
from memory.models import Refresh, Snapshot, Thread
from memory.research import results, task_lifecycle, threads
from memory.research.inferences import inferences_of, latest_snapshot
from memory.research.types import ChangedInference, RefreshDraft, SourceKind, StatementSource
from memory.research.watch_questions import questions_of
from tests.support.cast import A_MONDAY, allow
from tests.support.research import LOOK, asked, begun, refreshed, reread, snapshot_draft, snapshot_made, thread_kept


def test_each_refresh_is_one_more_and_the_thread_holds_its_thesis(alice: User) -> None:
    permit = allow(alice)
    with time_machine.travel(A_MONDAY, tick=False) as clock:
        thread = thread_kept(alice)
        clock.shift(timedelta(days=1))
        refreshed(
            alice,
            thread,
            "Demand for SOL falls.",
            ChangedInference("Fees rise.", "Fees fall."),
            ChangedInference("", "A fork."),
        )
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


def test_what_was_made_of_a_thread_that_has_moved_on_is_not_stored(alice: User) -> None:
    permit = allow(alice)
    thread = thread_kept(alice)
    with acting_as(alice.pk):
        waiting, before = task_lifecycle.request_refresh(permit, alice, thread, {}), latest_snapshot(permit, thread)
    job, task = begun(waiting)
    refreshed(alice, thread, "Demand for SOL falls.")
    draft = RefreshDraft(snapshot_draft("It stays."), "Nothing.")
    with pytest.raises(ThreadMovedOn), job.completing():
        results.store_refresh(permit, task, draft, after=before, look=LOOK)

    with acting_as(alice.pk):
        assert threads.thread_of(permit, thread.pk).current_thesis == "Demand for SOL falls."
        second = results.store_refresh(permit, task, draft, after=latest_snapshot(permit, thread), look=LOOK)
    assert second.thesis_before == "Demand for SOL falls."


_SCOPES = (ConsentScope.MEMORY_LEARNING, ConsentScope.SAVE_TO_THREAD, ConsentScope.SAVE_TO_PROFILE)
_TAKEN_FROM: dict[SourceKind, set[ConsentScope]] = {
    "prompt": set(),
    "item": {ConsentScope.MEMORY_LEARNING},
    "event": {ConsentScope.MEMORY_LEARNING},
    "thread": {ConsentScope.SAVE_TO_THREAD},
    "context": {ConsentScope.SAVE_TO_THREAD, ConsentScope.SAVE_TO_PROFILE},
}


@pytest.mark.parametrize("kind", _TAKEN_FROM)
def test_a_thesis_is_held_no_more_once_what_it_was_taken_from_was_withdrawn_even_where_that_is_granted_again(
    alice: User, kind: SourceKind
) -> None:
    allow(alice)
    thread = thread_kept(alice, snapshot_made(alice, "Demand.", thesis_sources=(StatementSource(kind, str(alice.pk)),)))
    for scope in _SCOPES:
        _withdraw(alice, scope)
        gone = bool(_TAKEN_FROM[kind] & set(_SCOPES[: _SCOPES.index(scope) + 1]))
        assert _held(alice, thread) == ["" if gone else "Demand.", "Fees doubled in May."]
        allow(alice)
        assert _held(alice, thread)[0] == ("" if gone else "Demand.")
    assert reread(alice, thread).current_thesis == "Demand."  # for its person to read
    refreshed(alice, thread, "Demand holds.")

    assert _held(alice, thread)[0] == "Demand holds."


def test_a_scope_that_was_never_granted_takes_no_thesis_away(alice: User) -> None:
    allow(alice, ConsentScope.SAVE_TO_PROFILE)
    thread = thread_kept(alice, snapshot_made(alice, "Demand.", thesis_sources=(StatementSource("context"),)))

    assert _held(alice, thread)[0] == "Demand."


def _held(user: User, thread: Thread) -> list[str]:
    with acting_as(user.pk):
        return [one.text for one in inferences_of(permit_for(user), thread)[:2]]


def _withdraw(user: User, scope: ConsentScope) -> None:
    with acting_as(user.pk):
        consent_id = permit_for(user).consent_id
        assert consent_id is not None
        withdraw_consent(user, consent_id, [scope], source="web")


def test_a_task_without_a_thread_refreshes_none(alice: User) -> None:
    allow(alice)
    job, task = begun(asked(alice))
    with pytest.raises(NotFound), job.completing():
        results.store_refresh(
            permit_for(alice), task, RefreshDraft(snapshot_draft(), "Nothing."), after=None, look=LOOK
        )
    with acting_as(alice.pk):
        assert not Snapshot.objects.exists()
        assert not Refresh.objects.exists()
