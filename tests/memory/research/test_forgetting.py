"""What erasures take from research: a thread or a task whole, and the words taken from anything that is gone (C-9)."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from consent.erasure.services import erasure_of
from consent.erasure.types import Targets
from consent.models import ErasureScope, Sources, Tombstone
from consent.permit import Permit
from consent.services import permit_for, withdraw_consent
from finclaw.erasure import forget
from finclaw.web.erasure_confirmations import confirm_session
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import NotFound
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.erasure.labels import TASK, TURN
from memory.erasure.research_requests import with_requested_research
from memory.exceptions import KeptInThread
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
from memory.research import results, task_lifecycle, threads
from memory.research.contexts import note_of
from memory.research.profile_context import save_profile_context
from memory.research.types import (
    ChangedInference,
    ReportDraft,
    ReportSection,
    ResearchStatement,
    SourceKind,
    StatementSource,
    TaskOutcome,
)
from memory.services import item_decisions
from tests.drift.support import rate, turn_round
from tests.support.cast import allow
from tests.support.needles import dump
from tests.support.research import (
    MODEL,
    asked,
    begun,
    checkpoint_draft,
    checkpoint_made,
    refreshed,
    reread,
    snapshot_draft,
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
    evidence, asks = (ResearchStatement(f"{word} doubled."),), (f"Does {word} hold?",)
    first = snapshot_made(user, f"{word} grows.", evidence=evidence, watch_questions=asks)
    stated = {"user_focus_reason": f"All of {word}"}
    wanted = {"title": f"Is {word} worth it?", "refresh_conditions": (f"{word} forks",), "fields": stated}
    thread = thread_kept(user, first, save_user_context=True, **wanted)
    refreshed(user, thread, f"{word} falls.", ChangedInference(f"{word} rises.", f"{word} drops."))
    overrides = {"constraints": f"No {word}"}
    job, task = begun(asked(user, f"What of {word}?", "risk_challenge", thread_id=thread.pk, overrides=overrides))
    report = ReportDraft("Risks", (ReportSection("First", (ResearchStatement(f"{word} forks."),)),), "", MODEL)
    with job.completing():
        task_lifecycle.complete_task(permit_for(user), task, TaskOutcome("report", MODEL, report=report))
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
        assert task_lifecycle.is_cancelled(waiting.pk)
    assert set(_rows(alice).values()) == {0}


def test_a_run_on_a_thread_that_is_forgotten_meanwhile_ends_with_it(alice: User) -> None:
    allow(alice)
    thread = _whole_thread(alice, NEEDLE)
    job, _ = begun(asked(alice, thread_id=thread.pk))
    _forget(alice, ErasureScope.THREAD, thread.pk)

    assert task_lifecycle.begin_run(job) is None
    assert dump().count(NEEDLE) == 0


def test_anothers_thread_or_task_is_not_found(alice: User, bob: User) -> None:
    for user in (alice, bob):
        allow(user)
    thread, task = thread_kept(alice), asked(alice)
    for scope, target in (("thread", thread.pk), ("thread", "no-id"), ("task", task.pk), ("task", thread.pk)):
        with pytest.raises(NotFound), acting_as(bob.pk):
            forget(bob, ErasureScope(scope), str(target), Sources.REDACT, source="api")
    assert reread(alice, thread).title
    assert reread(alice, task).tombstone_id is None
    with acting_as(bob.pk):
        assert not Tombstone.objects.exists()


COMES_TO: dict[str, str] = {
    "snapshot": "snapshot", "checkpoint": "pre_execution", "report": "risk_challenge", "nothing": "snapshot",
    "no end yet": "thread_refresh", "no beginning yet": "thread_refresh",
}  # fmt: skip


def _piece(user: User, word: str, comes_to: str) -> ResearchTask:
    """A piece of research with everything that may hang on one, ``word`` in all of it; another look has a thread."""
    thread = thread_kept(user).pk if COMES_TO[comes_to] == "thread_refresh" else None
    task = asked(user, f"{word}?", COMES_TO[comes_to], thread_id=thread, overrides={"constraints": f"No {word}"})
    if comes_to == "no beginning yet":
        return task
    job, task = begun(task)
    task_lifecycle.report_progress(job, task.pk, 50, "thesis", [{"part": "evidence", "statements": [f"{word} rose."]}])
    if comes_to == "no end yet":
        return task
    with job.completing():
        permit = permit_for(user)
        if comes_to == "nothing":
            task_lifecycle.fail_task(permit, task, "model_unavailable")
            return task
        task_lifecycle.complete_task(permit, task, _outcome(permit, task, word, comes_to))
    ref = f"report:{task.pk}" if comes_to == "report" else f"{comes_to}:{reread(user, task).result_id}"
    turn_round(user, ref)
    rate(user, ref, "disagree", f"Not {word}.")
    return task


def _outcome(permit: Permit, task: ResearchTask, word: str, comes_to: str) -> TaskOutcome:
    said = (ResearchStatement(f"{word} doubled."),)
    if comes_to == "snapshot":
        snapshot = results.store_snapshot(permit, task, snapshot_draft(f"{word} grows.", evidence=said))
        return TaskOutcome("snapshot", MODEL, snapshot.pk)
    if comes_to == "checkpoint":
        checkpoint = results.store_checkpoint(permit, task, checkpoint_draft(decision=f"Buy {word}?", risks=said))
        return TaskOutcome("checkpoint", MODEL, checkpoint.pk)
    return TaskOutcome("report", MODEL, report=ReportDraft(f"On {word}", (ReportSection("First", said),), "", MODEL))


@pytest.mark.parametrize("comes_to", COMES_TO)
def test_one_piece_of_research_goes_with_all_that_came_of_it(alice: User, comes_to: str) -> None:
    allow(alice)
    _piece(alice, "zqkeptzq", "report")
    task = _piece(alice, NEEDLE, comes_to)
    others = dump().count("zqkeptzq")
    with acting_as(alice.pk):
        forget(alice, ErasureScope.TASK, str(task.pk), Sources.REDACT, source="api")
        assert task_lifecycle.is_cancelled(task.pk)
        assert not task_lifecycle.tasks_of(permit_for(alice)).filter(pk=task.pk).exists()
    drain()

    after = dump()
    assert (after.count(NEEDLE), after.count("zqkeptzq")) == (0, others)
    with acting_as(alice.pk):
        done = erasure_of(alice.pk, Tombstone.objects.get().pk)
        assert Thread.objects.count() == (COMES_TO[comes_to] == "thread_refresh")
    assert (done.state, done.item_count, (done.verification or {})["residual"]) == ("completed", 1, 0)
    assert {label for label, rows in done.deleted.items() if rows} == set(done.targets["delete"]) >= {
        "memory.ResearchTask", "outbox.OutboxMessage",
    }  # fmt: skip


def test_what_a_thread_keeps_is_forgotten_with_it_alone(alice: User) -> None:
    allow(alice)
    thread = thread_kept(alice)
    refresh = refreshed(alice, thread, "Demand falls.")
    with acting_as(alice.pk):
        kept = list(ResearchTask.objects.values_list("pk", flat=True))
    assert len(kept) == 2
    for task in kept:
        with pytest.raises(KeptInThread) as refused, acting_as(alice.pk):
            forget(alice, ErasureScope.TASK, str(task), Sources.REDACT, source="api")
        assert refused.value.details == {"thread_id": str(thread.pk)}
    assert reread(alice, refresh).change_summary
    assert permit_of(alice).erasures == 0


@pytest.mark.parametrize("scope", [ErasureScope.MEMORIES, ErasureScope.SESSION])
def test_research_asked_for_in_a_chat_goes_with_the_words_that_asked_but_for_what_a_thread_keeps(
    alice: User, scope: ErasureScope
) -> None:
    permit = allow(alice)
    session = open_session(alice)
    one, other = say(alice, session, f"Analyze {NEEDLE}.", f"What speaks for {NEEDLE}?")
    gone, kept = (asked(alice, message.text, id=message.pk) for message in (one, other))
    elsewhere = asked(alice, "What speaks for SOL?")
    job, task = begun(kept)
    said = ResearchStatement(f"{NEEDLE} told me of 1,000 dollars.", None, (StatementSource("prompt"),))
    own = (ResearchStatement("Fees doubled in May.", None, (StatementSource("model"),)),)
    quoting = {"evidence": (said, *own), "thesis_sources": said.sources, "watch_questions": (f"Does {NEEDLE} pay?",)}
    with job.completing():
        snapshot = results.store_snapshot(permit, task, snapshot_draft(said.text, **quoting))
        task_lifecycle.complete_task(permit, task, TaskOutcome("snapshot", MODEL, snapshot.pk))
    thread = thread_kept(alice, snapshot, title=f"What {said.text}")
    handed_on = ResearchStatement(said.text, None, (*said.sources, StatementSource("snapshot", str(snapshot.pk))))
    asked_since = ResearchStatement("Validators stay.", None, (StatementSource("prompt"),))
    again = {"evidence": (handed_on, asked_since)}
    refresh = refreshed(alice, thread, "Demand for SOL grows.", ChangedInference(said.text, ""), **again)
    if scope == ErasureScope.MEMORIES:
        _forget(alice, scope, sources=Sources.KEEP)
        assert reread(alice, gone).prompt == one.text
    with acting_as(alice.pk):
        told = "The words that asked for 1 piece of research which a thread keeps, and what it quotes of them"
        assert told in confirm_session(permit, str(session.pk)).goes
    _forget(alice, scope, session.pk if scope == ErasureScope.SESSION else "")

    assert dump().count(NEEDLE) == 0
    with acting_as(alice.pk):
        assert {row.pk: row.prompt for row in ResearchTask.objects.all()} == {
            kept.pk: "", elsewhere.pk: elsewhere.prompt, refresh.task_id: "",
        }  # fmt: skip
    assert [one["text"] for one in reread(alice, snapshot).evidence] == ["Fees doubled in May."]
    assert [one["text"] for one in reread(alice, refresh.snapshot).evidence] == ["Validators stay."]
    thread = reread(alice, thread)
    assert (thread.title, thread.current_thesis) == ("SOL", "")  # what was forgotten lay before who wrote it


def test_a_task_goes_with_the_message_before_it_where_it_holds_it_and_however_many_there_are_in_as_many_queries(
    alice: User,
) -> None:
    permit = allow(alice)
    first, *rest = say(alice, open_session(alice), "SOL", "Run a snapshot on SOL.", "SOL\nwhat speaks for it?", "More.")
    _, pointing, _ = (asked(alice, message.text, id=message.pk) for message in rest)
    with acting_as(alice.pk):
        taken = with_requested_research(permit, Targets(redact={TURN: (first.pk,)}))
        assert taken.delete[TASK] == (pointing.pk,)
        counted: list[int] = []
        for messages in (rest[:1], rest):
            with CaptureQueriesContext(connection) as queries:
                gone = with_requested_research(
                    permit, Targets(redact={TURN: tuple(message.pk for message in messages)})
                )
            assert len(gone.delete[TASK]) == len(messages)
            counted.append(len(queries))
    assert counted[0] == counted[1]


def test_what_another_thread_lent_leaves_with_it(alice: User) -> None:
    allow(alice)
    lent = _whole_thread(alice, NEEDLE)
    taken = ResearchStatement(f"As {NEEDLE} showed.", None, (StatementSource("thread", str(lent.pk)),))
    own = ResearchStatement("Fees doubled.", None, (StatementSource("prompt"),))
    snapshot = snapshot_made(alice, evidence=(own, taken))
    job, task = begun(asked(alice, route="narrative_mapper"))
    with job.completing():
        task_lifecycle.complete_task(permit_for(alice), task, TaskOutcome("report", MODEL, note=(own, taken)))
    _forget(alice, ErasureScope.THREAD, lent.pk)

    with acting_as(alice.pk):
        note = note_of(permit_for(alice), task)
    assert note is not None
    assert note.lines == ("Fees doubled.",)
    assert [one["text"] for one in reread(alice, snapshot).evidence] == ["Fees doubled."]
    assert dump().count(NEEDLE) == 0


def _quoting(user: User, kind: SourceKind, key: object = "") -> list[Any]:
    """A snapshot, a checkpoint and a report that quote one source, and a thread whose thesis does."""
    quoted = (
        ResearchStatement(f"You hold {NEEDLE}.", None, (StatementSource("prompt"), StatementSource(kind, str(key)))),
    )
    own = (ResearchStatement("Fees doubled.", None, (StatementSource("prompt"),)),)
    snapshot = snapshot_made(user, f"Since {NEEDLE}, it grows.", told=quoted, evidence=own,
                             watch_questions=(f"Does {NEEDLE} hold?",), thesis_sources=quoted[0].sources)  # fmt: skip
    thread = thread_kept(user, snapshot)
    again = f"Still, {NEEDLE} grows."
    refresh = refreshed(
        user, thread, again, ChangedInference(f"{NEEDLE} rises.", ""), watch_questions=(f"And {NEEDLE}?",)
    )
    checkpoint = checkpoint_made(user, told=quoted, conditions=own)
    job, task = begun(asked(user, route="narrative_mapper"))
    with job.completing():
        sections = (ReportSection("What you told me", quoted), ReportSection("Dated", own))
        report = ReportDraft("Map", sections, "", MODEL)
        task_lifecycle.complete_task(
            permit_for(user), task, TaskOutcome("report", MODEL, report=report, note=(*quoted, *own))
        )
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
        note = note_of(permit_for(user), task)  # goes whole where what tasks ran with does
        assert note is None or note.lines == ("Fees doubled.",)
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
        first = item_decisions.add_stated(permit, f"I hold {NEEDLE}.")
        newer = item_decisions.correct(permit, first.pk, f"I hold much {NEEDLE}.")
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


def test_what_was_learned_leaves_research_with_the_consent_to_learn(alice: User) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = item_decisions.add_stated(permit, f"I hold {NEEDLE}.")
    made = _quoting(alice, "item", item.pk)
    with acting_as(alice.pk):
        assert permit.consent_id is not None
        withdraw_consent(alice, permit.consent_id, [ConsentScope.MEMORY_LEARNING], source="web")
    assert reread(alice, made[0]).told
    drain()

    _assert_only_its_own_words_are_left(alice, made)


@pytest.mark.parametrize("scope", sorted(set(ConsentScope) - {ConsentScope.MEMORY_LEARNING}))
def test_another_scope_taken_back_leaves_research_as_it_was_written(alice: User, scope: ConsentScope) -> None:
    permit = allow(alice)
    (snapshot, *_) = _quoting(alice, "item", permit.user_id)
    with acting_as(alice.pk):
        assert permit.consent_id is not None
        withdraw_consent(alice, permit.consent_id, [scope], source="web")
    drain()

    assert reread(alice, snapshot).told


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
