"""A task's life in the worker: parts by a model or by rule, progress, cancelling, failing, beginning anew."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from consent.exceptions import ConsentOutdated, ErasureInProgress
from consent.services import permit_for, withdraw_consent
from drift.models import DriftSignal
from drift.services import REOPENED_TOPIC
from finclaw.brain.boundary import BoundaryRefused
from finclaw.brain.research import task_execution
from finclaw.brain.research.services import create_refresh_task
from finclaw.web.research_labels import failure_text
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import FinClawError
from foundation.llm import MalformedReply, ModelUnavailable, Prompt
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.exceptions import ThreadMovedOn
from memory.models import Refresh, ResearchTask, TaskContext, Thread
from memory.research import task_lifecycle, watch_questions
from memory.research.profile_context import save_profile_context
from memory.research.results import refresh_of
from memory.research.threads import change_thread, close_thread, save_as_thread
from memory.research.types import ThreadChange, ThreadDraft
from tests.brain.research.support import (
    MOUTAI,
    NVDA,
    RecordingModel,
    answered,
    ask,
    day,
    is_personal,
    look,
    run,
    snapshot,
    texts,
)
from tests.support.cast import allow
from tests.support.research import refreshed

pytestmark = pytest.mark.django_db


def _speaks(monkeypatch: pytest.MonkeyPatch, model: Any) -> None:
    monkeypatch.setattr(task_execution, "configured_model", lambda *_: model)


def _answers(asked: Prompt) -> dict[str, Any]:
    if "State in at most" in asked.system:
        return {"thesis": "Nvidia keeps its lead.", "watch_questions": ["Does demand hold?"]}
    return {"statements": [{"text": "Revenue was 46.7 billion dollars."}, {"text": "It will grow 900%."}]}


def test_a_models_statements_are_taken_but_for_figures_that_were_not_given(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    _speaks(monkeypatch, RecordingModel(_answers))
    task = run(alice, NVDA)
    made = snapshot(alice, task)

    assert made.main_thesis == "Nvidia keeps its lead."
    assert texts(made.evidence) == ["Revenue was 46.7 billion dollars."]
    assert "4 statements of the model were left out" in made.data_quality_note
    assert task.degraded == []
    assert made.model_id == "scripted"


class Failing:
    """Fails as it is told to; counts how often it was asked."""

    is_offline = False

    def __init__(self, error: Exception) -> None:
        self.asked = 0
        self._error = error

    def call(self, *_: Any, **__: Any) -> Any:
        self.asked += 1
        raise self._error


@pytest.mark.parametrize(("error", "times"), [(MalformedReply(), 2), (ModelUnavailable(), 1)])
def test_a_model_that_fails_is_asked_again_only_for_a_malformed_answer_and_the_rules_go_on(
    alice: User, monkeypatch: pytest.MonkeyPatch, error: Exception, times: int
) -> None:
    allow(alice)
    model = Failing(error)
    _speaks(monkeypatch, model)
    task = run(alice, NVDA)

    assert task.state == "completed"
    assert "analysis_fallback" in task.degraded
    assert model.asked == 5 * times  # four parts and the thesis
    assert texts(snapshot(alice, task).invalidators) == [
        "If a large customer moves to its own chips, the lead is gone."
    ]


def test_what_a_model_says_may_not_execute_either(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    says = {"statements": [{"text": "Your order has been placed."}], "thesis": "Wait.", "watch_questions": []}
    _speaks(monkeypatch, RecordingModel(lambda _: says))
    task = run(alice, "Check my decision on Nvidia.", "pre_execution")

    assert (task.state, task.error_code) == ("failed", "boundary_refused")


def test_a_question_of_a_models_may_not_claim_an_execution(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    claims = RecordingModel(lambda asked: answered(asked, watch_questions=["Your order has been placed."]))
    _speaks(monkeypatch, claims)
    task = run(alice, NVDA)

    assert (task.state, task.error_code, task.result_id) == ("failed", "boundary_refused", None)


def test_a_request_to_execute_is_refused_before_anything_is_queued(alice: User) -> None:
    allow(alice)
    with pytest.raises(BoundaryRefused):
        ask(alice, "Place a limit order for 100 shares of Nvidia at 50.")

    assert not OutboxMessage.objects.filter(topic=task_lifecycle.RESEARCH_TOPIC).exists()


def test_progress_is_seen_by_others_while_it_runs(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    task = ask(alice, NVDA)
    seen: list[tuple[int, str, list[str]]] = []

    def says(asked: Prompt) -> dict[str, Any]:
        now = look(alice, task.pk)
        seen.append((now.progress, now.step, [one["part"] for one in now.partial]))
        return _answers(asked)

    _speaks(monkeypatch, RecordingModel(says))
    drain()

    assert [step for _, step, _ in seen] == ["evidence", "market", "invalidators", "counter_thesis", "thesis"]
    assert [progress for progress, *_ in seen] == sorted({progress for progress, *_ in seen})
    assert seen[2][2] == ["evidence", "market"]
    assert look(alice, task.pk).state == "completed"


def test_a_task_cancelled_while_it_runs_ends_before_its_next_step(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    task = ask(alice, NVDA)

    def says(asked: Prompt) -> dict[str, Any]:
        with acting_as(alice.pk):
            task_lifecycle.request_cancel(permit_for(alice), task.pk)
        return _answers(asked)

    model = RecordingModel(says)
    _speaks(monkeypatch, model)
    drain()
    ended = look(alice, task.pk)

    assert ended.state == "cancelled"
    assert len(model.prompts) == 1
    assert "S1" in ended.context["slices_loaded"]
    assert ended.advisors
    with acting_as(alice.pk):
        assert TaskContext.objects.filter(task=ended).exists()


def test_a_refresh_cancelled_while_its_thesis_is_written_leaves_its_thread_alone(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    thread = _thread_of(alice)

    def says(asked: Prompt) -> dict[str, Any]:
        if is_personal(asked):
            with acting_as(alice.pk):
                running_now = task_lifecycle.tasks_of(permit_for(alice)).get(state="running")
                task_lifecycle.request_cancel(permit_for(alice), running_now.pk)
        return answered(asked)

    _speaks(monkeypatch, RecordingModel(says))
    ended = _refresh(alice, thread, FLIPPED)

    assert (ended.state, ended.result_id) == ("cancelled", None)
    with acting_as(alice.pk):
        assert not Refresh.objects.exists()
        assert TaskContext.objects.filter(task=ended).exists()


def test_a_refresh_of_a_thread_that_moved_on_meanwhile_begins_anew_with_what_it_holds_now(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    thread = _thread_of(alice)
    overtaken: list[bool] = []

    def says(asked: Prompt) -> dict[str, Any]:
        if is_personal(asked) and not overtaken:
            overtaken.append(True)
            refreshed(alice, thread, "Nvidia was overtaken.")
        return answered(asked, thesis="Nvidia comes back.")

    _speaks(monkeypatch, RecordingModel(says))
    task = _refresh(alice, thread, FLIPPED)
    assert task.state == "running"
    with time_machine.travel(timezone.now() + timedelta(hours=1), tick=False):
        drain()

    with acting_as(alice.pk):
        refresh = _found(alice, look(alice, task.pk))
        assert (refresh.thesis_before, refresh.snapshot.main_thesis) == ("Nvidia was overtaken.", "Nvidia comes back.")
        assert {"before": "Nvidia was overtaken.", "after": "Nvidia comes back."} in refresh.changed_inferences


def test_what_was_stated_and_is_withdrawn_comes_back_by_no_held_thesis(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"user_focus_reason": "I care about zebras"})
    _speaks(monkeypatch, RecordingModel(lambda asked: answered(asked, thesis="Zebras bear it out.")))
    thread = _thread_of(alice)
    model = RecordingModel(lambda asked: answered(asked, thesis="It holds."))
    _speaks(monkeypatch, model)
    _refresh(alice, thread, FLIPPED)
    assert any("Zebras bear it out." in one for prompt in model.prompts for one in prompt.texts)
    model.prompts.clear()
    _speaks(monkeypatch, RecordingModel(lambda asked: answered(asked, thesis="Zebras bear it out again.")))
    _refresh(alice, thread, FLIPPED)
    assert permit.consent_id is not None
    with acting_as(alice.pk):
        withdraw_consent(alice, permit.consent_id, source="web")
    _speaks(monkeypatch, model)
    ended = _refresh(alice, thread, FLIPPED)

    assert ended.state == "completed"
    assert model.prompts
    assert not [text for prompt in model.prompts for text in prompt.texts if "zebra" in text.casefold()]
    with acting_as(alice.pk):
        assert _found(alice, ended).thesis_before == "Zebras bear it out again."  # its person reads what they held


def test_a_run_that_breaks_is_to_be_begun_anew(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    task = ask(alice, NVDA)
    _speaks(monkeypatch, Failing(RuntimeError()))
    drain()

    assert look(alice, task.pk).state == "running"


@pytest.mark.parametrize("error", [ThreadMovedOn, ConsentOutdated, ErasureInProgress])
def test_the_last_run_that_would_begin_anew_ends_the_task_and_says_why(
    alice: User, monkeypatch: pytest.MonkeyPatch, settings: Any, error: type[FinClawError]
) -> None:
    settings.OUTBOX_MAX_ATTEMPTS = 1
    allow(alice)
    _speaks(monkeypatch, Failing(error()))
    ended = run(alice, NVDA)

    assert (ended.state, ended.error_code) == ("failed", error.code)
    assert failure_text(error.code) != failure_text("")


def test_the_last_run_that_breaks_ends_the_task_with_its_reason_and_its_context(
    alice: User, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.OUTBOX_MAX_ATTEMPTS = 1
    allow(alice)
    _speaks(monkeypatch, Failing(RuntimeError()))
    ended = run(alice, NVDA)

    assert (ended.state, ended.error_code) == ("failed", "RuntimeError")
    with acting_as(alice.pk):
        assert TaskContext.objects.filter(task=ended).exists()


def test_what_was_not_known_then_is_reported_and_left_out(alice: User) -> None:
    allow(alice)
    task = run(alice, NVDA, as_of=day("2025-08-01"))

    assert [one["text"] for one in task.lookahead_warnings] == [
        "On 2025-08-27 Nvidia reported quarterly revenue of 46.7 billion dollars.",
        "According to its filing of 2025-08-27 gross margin was 72.4%.",
    ]
    made = snapshot(alice, task)
    assert "2 statements speak of a time after 2025-08-01" in made.data_quality_note
    assert not [text for text in texts(made.evidence) if "2025-08-27" in text]


FLIPPED = """\
I now think Nvidia loses everything to custom silicon.
- On 2025-11-19 two cloud providers announced their own accelerators.
- According to a report of 2025-11-20 orders were cut by 40%.
- However inventories doubled.
If the new chips fail, this is wrong.
Unless prices are cut, share is lost."""


def _thread_of(user: User, title: str = "Nvidia's lead", prompt: str = NVDA, **fields: Any) -> Thread:
    made = snapshot(user, run(user, prompt, **fields))
    with acting_as(user.pk):
        permit = permit_for(user)
        assert permit.consent_id is not None
        return save_as_thread(permit, user, made, ThreadDraft(title), permit.consent_id)


def _refresh(user: User, thread: Thread, said: str) -> ResearchTask:
    with acting_as(user.pk):
        task = create_refresh_task(permit_for(user), user, thread, said, {}, confirm_financial=False)
    drain()
    return look(user, task.pk)


def _found(user: User, task: ResearchTask) -> Refresh:
    assert task.result_id is not None, task.error_code
    with acting_as(user.pk):
        return refresh_of(permit_for(user), task.result_id)


@pytest.mark.parametrize(
    ("said", "keeps"), [("我现在看空贵州茅台，不再认为品牌护城河稳固。", False), ("我依然认为茅台的护城河稳固。", True)]
)
def test_what_would_end_a_thesis_goes_with_it_where_it_is_turned_round(alice: User, said: str, *, keeps: bool) -> None:
    allow(alice)
    thread = _thread_of(alice, "茅台", MOUTAI)
    refresh = _found(alice, _refresh(alice, thread, said))

    assert ("如果批价跌破1600元,论点失效。" in texts(refresh.snapshot.invalidators)) is keeps


def test_a_refresh_speaks_the_language_of_its_thread_and_asks_nothing_twice(alice: User) -> None:
    allow(alice)
    thread = _thread_of(alice, "茅台", MOUTAI, overrides={"language_preference": "zh"})
    with acting_as(alice.pk):
        before = watch_questions.questions_of(permit_for(alice), thread).count()
    refresh = _found(alice, _refresh(alice, thread, "2026年11月批价升到1700元。如果批价跌破1600元,论点失效。"))

    assert refresh.change_summary.startswith("论点没有变化。")
    with acting_as(alice.pk):
        assert watch_questions.questions_of(permit_for(alice), thread).count() == before


def test_a_refresh_with_nothing_new_leaves_the_thesis_as_it_was(alice: User) -> None:
    allow(alice)
    thread = _thread_of(alice)
    task = _refresh(alice, thread, "")

    with acting_as(alice.pk):
        assert task.result_id is not None
        refresh = Refresh.objects.get(pk=task.result_id)
        thread.refresh_from_db()
        assert refresh.change_summary.startswith("The thesis stays as it was.")
        assert refresh.changed_inferences == []
        assert thread.current_thesis == refresh.thesis_before


def test_9_2_a_refresh_says_what_changed_and_a_thesis_turned_round_is_written_down(alice: User) -> None:
    allow(alice)
    thread = _thread_of(alice)
    task = _refresh(alice, thread, FLIPPED)

    with acting_as(alice.pk):
        assert task.result_id is not None
        refresh = Refresh.objects.get(pk=task.result_id)
        thread.refresh_from_db()
        assert thread.current_thesis == "I now think Nvidia loses everything to custom silicon."
        assert refresh.change_summary.startswith("The thesis is another one now.")
        assert "However inventories doubled." in [one["after"] for one in refresh.changed_inferences]
        assert refresh.snapshot.thread_id == thread.pk
        signals = DriftSignal.objects.filter(object_ref=f"thread:{thread.pk}")
        assert [one.signal_kind for one in signals] == ["refresh_stance_flip"]


def test_a_second_refresh_carries_what_the_first_held_once_each_with_its_sources(alice: User) -> None:
    allow(alice)
    thread = _thread_of(alice)
    first, again = _refresh(alice, thread, FLIPPED), _refresh(alice, thread, FLIPPED)
    with acting_as(alice.pk):
        before, after = _found(alice, first), _found(alice, again)
        thread.refresh_from_db()

    for field in ("evidence", "counter_thesis", "invalidators"):
        said, carried = (texts(getattr(one.snapshot, field)) for one in (before, after))
        assert len(carried) == len(set(carried))
        assert set(carried) == set(said)
    assert after.changed_inferences == []
    nvidias = {one["text"]: one["sources"] for one in after.snapshot.evidence}[
        "According to its filing of 2025-08-27 gross margin was 72.4%."
    ]
    assert nvidias[0] == {"kind": "prompt", "id": ""}
    assert nvidias[-1] == {"kind": "snapshot", "id": str(before.snapshot_id)}
    assert thread.current_thesis == before.snapshot.main_thesis


def test_the_title_of_a_thread_is_no_evidence_in_its_refresh(alice: User) -> None:
    allow(alice)
    thread = _thread_of(alice, "I think Nvidia doubled by 2026")
    task = _refresh(alice, thread, "")

    with acting_as(alice.pk):
        refresh = _found(alice, task)
    assert thread.title not in texts(refresh.snapshot.evidence)
    assert (refresh.snapshot.main_thesis, refresh.changed_inferences) == (refresh.thesis_before, [])


def test_a_thread_renamed_while_a_wordless_refresh_waits_gives_no_evidence_either(alice: User) -> None:
    allow(alice)
    thread = _thread_of(alice)
    with acting_as(alice.pk):
        task = create_refresh_task(permit_for(alice), alice, thread, " ", {}, confirm_financial=False)
        change_thread(permit_for(alice), thread, ThreadChange(title="I think Nvidia doubled by 2026"))
    drain()

    with acting_as(alice.pk):
        refresh = _found(alice, look(alice, task.pk))
        assert (task.prompt, task.question) == ("", "I think Nvidia doubled by 2026")
        assert (refresh.snapshot.main_thesis, refresh.changed_inferences) == (refresh.thesis_before, [])


def test_news_in_the_words_of_the_title_are_news(alice: User) -> None:
    allow(alice)
    thread = _thread_of(alice, "On 2025-11-19 Nvidia reported margins of 73.4%.")
    task = _refresh(alice, thread, thread.title)

    with acting_as(alice.pk):
        assert thread.title in texts(_found(alice, task).snapshot.evidence)


def test_a_refresh_that_asks_a_resolved_question_again_has_that_looked_at_and_one_by_rule_asks_nothing_twice(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    permit = allow(alice)
    thread = _thread_of(alice)
    with acting_as(alice.pk):
        for question in watch_questions.questions_of(permit, thread):
            watch_questions.resolve_question(permit, thread, question.pk)
    _refresh(alice, thread, "")
    with acting_as(alice.pk):
        asked_before = list(watch_questions.questions_of(permit, thread))
    assert {one.state for one in asked_before} == {"resolved"}
    _speaks(monkeypatch, RecordingModel(lambda one: answered(one, watch_questions=[asked_before[0].question])))
    _refresh(alice, thread, "")

    with acting_as(alice.pk):
        states = [one.state for one in watch_questions.questions_of(permit, thread)]
        assert states == ["reopened", *["resolved"] * (len(asked_before) - 1)]
        (booked,) = OutboxMessage.objects.filter(topic=REOPENED_TOPIC)
        assert booked.payload == {"question": str(asked_before[0].pk)}


def test_a_thread_that_is_closed_while_it_is_looked_at_ends_the_task_with_that_reason(alice: User) -> None:
    allow(alice)
    thread = _thread_of(alice)
    with acting_as(alice.pk):
        task = create_refresh_task(permit_for(alice), alice, thread, FLIPPED, {}, confirm_financial=False)
        close_thread(permit_for(alice), thread)
    drain()

    ended = look(alice, task.pk)
    assert (ended.state, ended.error_code) == ("failed", "thread_closed")
    with acting_as(alice.pk):
        assert not Refresh.objects.exists()
        assert TaskContext.objects.filter(task=ended).exists()


def test_a_thesis_of_a_model_names_all_of_its_person_that_lay_before_it(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    permit = allow(alice)
    thread = _thread_of(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"research_depth": "deep"})
    asked_for = "Look at Nvidia beside my threads."
    assert snapshot(alice, run(alice, asked_for)).thesis_sources == []  # by rule: the person's own words
    _speaks(monkeypatch, RecordingModel(_answers))

    made = snapshot(alice, run(alice, asked_for))

    assert {"kind": "thread", "id": str(thread.pk)} in made.thesis_sources
    assert {"kind": "context", "id": ""} in made.thesis_sources
