"""What erasures take from research: a thread whole, and the words taken from anything that is forgotten (C-9)."""

from __future__ import annotations

from typing import Any

import pytest

from consent.erasure.services import erasure_of
from consent.models import ErasureScope, Sources, Tombstone
from consent.services import permit_for
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting import acting_as
from foundation.exceptions import NotFound
from foundation.outbox.tasks import drain
from memory.models import (
    Checkpoint,
    MemoryItem,
    Refresh,
    ResearchTask,
    Snapshot,
    TaskContext,
    Thread,
    ThreadContext,
    TrainingAssetCandidate,
    WatchQuestion,
)
from memory.research import tasks, threads
from memory.research.types import Changed, Outcome, ReportDraft, Section, Source, SourceKind, Statement
from memory.services import items
from memory.services.contexts import save_profile_context
from tests.support.cast import allow
from tests.support.needles import dump
from tests.support.research import (
    MODEL,
    asked,
    begun,
    checkpoint_made,
    refreshed,
    reread,
    snapshot_made,
    thread_kept,
)
from tests.support.talk import memories, open_session, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)
NEEDLE = "zqthreadzq"
OF_A_THREAD = (
    Thread, ThreadContext, WatchQuestion, Snapshot, Refresh, Checkpoint, ResearchTask, TaskContext,
    TrainingAssetCandidate,
)  # fmt: skip


def _forget(user: User, scope: ErasureScope, target: object = "", sources: Sources = Sources.REDACT) -> Tombstone:
    with acting_as(user.pk):
        tombstone = forget(user, scope, str(target), sources, source="api")
    drain()
    with acting_as(user.pk):
        done = erasure_of(user.pk, tombstone.pk)
    assert done.state == "completed", [step.reason for step in done.steps.all()]
    return done


def _rows(user: User) -> dict[str, int]:
    with acting_as(user.pk):
        return {model.__name__: model._default_manager.count() for model in OF_A_THREAD}


def _whole_thread(user: User, word: str) -> Thread:
    """A thread with everything that may hang on one, ``word`` in all of it."""
    evidence, asks = (Statement(f"{word} doubled."),), (f"Does {word} hold?",)
    first = snapshot_made(user, f"{word} grows.", evidence=evidence, watch_questions=asks)
    stated = {"user_focus_reason": f"All of {word}"}
    wanted = {"title": f"Is {word} worth it?", "refresh_conditions": (f"{word} forks",), "fields": stated}
    thread = thread_kept(user, first, save_user_context=True, **wanted)
    refreshed(user, thread, f"{word} falls.", Changed(f"{word} rises.", f"{word} drops."))
    overrides = {"constraints": f"No {word}"}
    job, task = begun(asked(user, f"What of {word}?", "risk_challenge", thread_id=thread.pk, overrides=overrides))
    report = ReportDraft("Risks", (Section("First", (Statement(f"{word} forks."),)),), "", MODEL)
    with job.completing():
        tasks.complete(permit_for(user), task, Outcome("report", MODEL, report=report))
    return thread


def test_a_thread_goes_with_all_that_hangs_on_it_and_nothing_else_does(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
    _whole_thread(bob, "zqbobzq")
    bobs = _rows(bob)
    kept = _whole_thread(alice, "zqkeptzq")
    before = _rows(alice)
    thread = _whole_thread(alice, NEEDLE)
    session = open_session(alice, thread_id=thread.pk)
    others = dump().count("zqkeptzq")

    receipt = _forget(alice, ErasureScope.THREAD, thread.pk)

    after = dump()
    assert (receipt.item_count, after.count(NEEDLE), after.count("zqkeptzq")) == (1, 0, others)
    assert (_rows(alice), _rows(bob)) == (before, bobs)
    assert reread(alice, kept).current_thesis == "zqkeptzq falls."
    assert reread(alice, session).thread_id is None


def test_it_is_invisible_from_the_moment_that_was_asked(alice: User) -> None:
    permit = allow(alice)
    thread = _whole_thread(alice, NEEDLE)
    waiting = asked(alice, thread_id=thread.pk)
    with acting_as(alice.pk):
        forget(alice, ErasureScope.THREAD, str(thread.pk), Sources.REDACT, source="api")
        assert not threads.threads_of(permit).exists()
        assert tasks.is_cancelled(waiting.pk)
    assert set(_rows(alice).values()) == {0}


def test_a_run_on_a_thread_that_is_forgotten_meanwhile_ends_with_it(alice: User) -> None:
    allow(alice)
    thread = _whole_thread(alice, NEEDLE)
    job, _ = begun(asked(alice, thread_id=thread.pk))
    _forget(alice, ErasureScope.THREAD, thread.pk)

    assert tasks.begin(job) is None
    assert dump().count(NEEDLE) == 0


def test_anothers_thread_is_not_found(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
    thread = thread_kept(alice)
    for target in (str(thread.pk), "no-id"):
        with pytest.raises(NotFound), acting_as(bob.pk):
            forget(bob, ErasureScope.THREAD, target, Sources.REDACT, source="api")
    assert reread(alice, thread).title


def test_what_another_thread_lent_leaves_with_it(alice: User) -> None:
    allow(alice)
    lent = _whole_thread(alice, NEEDLE)
    taken = Statement(f"As {NEEDLE} showed.", None, (Source("thread", str(lent.pk)),))
    own = Statement("Fees doubled.", None, (Source("prompt"),))
    snapshot = snapshot_made(alice, evidence=(own, taken))
    _forget(alice, ErasureScope.THREAD, lent.pk)

    assert [one["text"] for one in reread(alice, snapshot).evidence] == ["Fees doubled."]
    assert dump().count(NEEDLE) == 0


def _quoting(user: User, kind: SourceKind, key: object = "") -> list[Any]:
    """A snapshot, a checkpoint and a report that quote one source, and a thread whose thesis does."""
    quoted = (Statement(f"You hold {NEEDLE}.", None, (Source("prompt"), Source(kind, str(key)))),)
    own = (Statement("Fees doubled.", None, (Source("prompt"),)),)
    snapshot = snapshot_made(user, f"Since {NEEDLE}, it grows.", told=quoted, evidence=own,
                             watch_questions=(f"Does {NEEDLE} hold?",), thesis_sources=quoted[0].sources)  # fmt: skip
    thread = thread_kept(user, snapshot)
    again = f"Still, {NEEDLE} grows."
    refresh = refreshed(user, thread, again, Changed(f"{NEEDLE} rises.", ""), watch_questions=(f"And {NEEDLE}?",))
    checkpoint = checkpoint_made(user, told=quoted, conditions=own)
    job, task = begun(asked(user, route="narrative_mapper"))
    with job.completing():
        sections = (Section("What you told me", quoted), Section("Dated", own))
        report = ReportDraft("Map", sections, "", MODEL)
        tasks.complete(permit_for(user), task, Outcome("report", MODEL, report=report))
    return [snapshot, thread, refresh, checkpoint, task]


def _assert_only_its_own_words_are_left(user: User, made: list[Any]) -> None:
    snapshot, thread, refresh, checkpoint, task = (reread(user, one) for one in made)
    assert (snapshot.told, snapshot.main_thesis, snapshot.watch_questions) == ([], "", [])
    assert [one["text"] for one in snapshot.evidence] == ["Fees doubled."]
    assert (checkpoint.told, [one["text"] for one in checkpoint.conditions]) == ([], ["Fees doubled."])
    assert [len(section["statements"]) for section in task.report["sections"]] == [0, 1]
    assert (refresh.thesis_before, refresh.change_summary, refresh.changed_inferences) == ("", "", [])
    assert thread.current_thesis == ""
    with acting_as(user.pk):
        assert refresh.snapshot.main_thesis == ""  # the one before lay before whoever wrote it
        assert [one["text"] for one in refresh.snapshot.evidence] == ["Fees doubled in May."]
        assert (list(thread.watch_questions.all()), threads.theses_of(thread)) == ([], [])
    assert dump().count(NEEDLE) == 0


def test_a_forgotten_memory_leaves_whatever_quotes_it(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), f"I prefer answers about {NEEDLE}.")
    item = memories(alice)[0]
    made = _quoting(alice, "item", item.pk)
    _forget(alice, ErasureScope.ITEM, item.pk)

    _assert_only_its_own_words_are_left(alice, made)


def test_a_forgotten_version_takes_what_quotes_an_earlier_one(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        first = items.add_stated(permit, f"I hold {NEEDLE}.")
        newer = items.correct(permit, first.pk, f"I hold much {NEEDLE}.")
    made = _quoting(alice, "item", first.pk)
    _forget(alice, ErasureScope.ITEM, newer.pk)

    _assert_only_its_own_words_are_left(alice, made)


def test_a_forgotten_conversation_takes_what_quotes_its_messages(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    (said,) = say(alice, session, f"Remember {NEEDLE}.")
    made = _quoting(alice, "message", said.pk)
    _forget(alice, ErasureScope.SESSION, session.pk)

    _assert_only_its_own_words_are_left(alice, made)


@pytest.mark.parametrize("sources", Sources)
def test_everything_learned_goes_from_research_too_and_what_was_said_with_it_or_not(
    alice: User, sources: Sources
) -> None:
    allow(alice)
    (said,) = say(alice, open_session(alice), f"I prefer answers about {NEEDLE}.")
    item = memories(alice)[0]
    learned, heard = _quoting(alice, "item", item.pk), _quoting(alice, "message", said.pk)
    _forget(alice, ErasureScope.MEMORIES, sources=sources)

    assert reread(alice, learned[0]).told == []
    assert bool(reread(alice, heard[0]).told) == (sources == Sources.KEEP)
    with acting_as(alice.pk):
        assert not MemoryItem.objects.exists()


def test_what_was_stated_goes_from_research_and_from_what_tasks_ran_with(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"user_focus_reason": f"All of {NEEDLE}"})
    made = _quoting(alice, "context")
    with acting_as(alice.pk):
        assert TaskContext.objects.filter(user_focus_reason__contains=NEEDLE).exists()
    _forget(alice, ErasureScope.PROFILE)

    _assert_only_its_own_words_are_left(alice, made)
    assert _rows(alice)["TaskContext"] == 0


def test_forgetting_one_persons_memory_touches_nobody_elses_research(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
    say(alice, open_session(alice), "I prefer short answers.")
    item = memories(alice)[0]
    bobs = _quoting(bob, "item", item.pk)
    _forget(alice, ErasureScope.ITEM, item.pk)

    assert reread(bob, bobs[0]).told
    assert permit_of(bob).erasures == 0
