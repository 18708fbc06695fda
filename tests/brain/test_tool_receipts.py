"""What the assistant ran leaves a receipt: names, codes and numbers, of its user alone, and no word of anybody's."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from consent.models import ErasureScope, Sources
from finclaw.brain import turn
from finclaw.brain.research import task_execution
from finclaw.brain.types import TurnResult
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.llm import ModelUnavailable
from foundation.outbox.tasks import drain
from memory.exceptions import MemoryUnavailable
from memory.models import ResearchTask, Thread, ToolReceipt
from tests.brain.research.support import NVDA, RecordingModel, answered, run
from tests.brain.research.test_running import Failing
from tests.brain.test_looking_up import PORTRAIT, SEARCH, LargeModel, asks, served, tell
from tests.brain.test_looking_up import ask as chat
from tests.brain.test_turn import ask as say
from tests.brain.test_turn import message
from tests.support.api import signed_in
from tests.support.cast import allow
from tests.support.model_server import AsksFor, Says
from tests.support.research import thread_kept
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db
QUESTION = "Hello there, please tell me more"
WORDS = ("ASML", "vineyard", "Nvidia", "billion", QUESTION, "Alice")


def ran(user: User, run_id: UUID | None = None) -> list[ToolReceipt]:
    """The user's receipts, in order."""
    with acting_as(user.pk):
        found = ToolReceipt.objects.all() if run_id is None else ToolReceipt.objects.filter(run_id=run_id)
        return list(found)


def told(receipts: list[ToolReceipt]) -> list[tuple[str, str, str, dict[str, int]]]:
    return [(row.tool, row.outcome, row.error_code, row.counts) for row in receipts]


def no_words_in(receipts: list[ToolReceipt]) -> bool:
    written = json.dumps([vars(row) for row in receipts], default=str)
    return not any(word in written for word in WORDS)


def looked_up(user: User, *calls: tuple[str, str]) -> list[ToolReceipt]:
    """The receipts of an answer for which the model called these at once."""
    with served(LargeModel(AsksFor(calls))):
        return ran(user, chat(user).message_id)


def test_nobody_else_reads_it_and_the_application_changes_none(alice: User, charlie: User) -> None:
    for person in (alice, charlie):
        allow(person)
    assert looked_up(alice, (SEARCH, '{"query": "ASML"}'))
    assert ran(charlie) == []
    with acting_as(None):
        assert not ToolReceipt.objects.exists()
    for write in (lambda: ToolReceipt.objects.update(outcome="done"), lambda: ToolReceipt.objects.all().delete()):
        with acting_as(alice.pk), pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            write()


def test_each_tool_that_the_model_called_says_what_it_found_and_how_long_it_took(alice: User) -> None:
    allow(alice)
    tell(alice, "r", "Alice bought ASML shares.")
    found = looked_up(
        alice, (SEARCH, '{"query": "ASML"}'), (SEARCH, '{"query": "vineyard", "target_group_id": "here"}')
    )

    assert told(found) == [
        (SEARCH, "done", "", {"found": 1, "taken": 1}),
        (SEARCH, "done", "", {"found": 0, "taken": 0}),
    ]
    assert {(row.kind, row.intent_type, row.session_id is not None) for row in found} == {("tool", "chat", True)}
    assert all(row.duration_ms > 0 for row in found)
    assert no_words_in(found)


@pytest.mark.parametrize(
    ("name", "arguments", "tool", "code"),
    [
        ("tell_everybody_of_the_vineyard", "{}", "unknown_tool", "unknown_tool"),
        (SEARCH, '{"query": "ASML", "vineyard": 1}', SEARCH, "invalid_arguments"),
        (PORTRAIT, "{", PORTRAIT, "invalid_arguments"),
        ("end", '{"new_info": "Bob sold a vineyard."}', "end", "unfounded"),
    ],
)
def test_a_call_that_is_refused_is_named_by_code_and_not_by_what_the_model_wrote(
    alice: User, name: str, arguments: str, tool: str, code: str
) -> None:
    allow(alice)
    found = looked_up(alice, (name, arguments))
    assert told(found) == [(tool, "refused", code, {})]
    assert no_words_in(found)


def test_memory_that_cannot_be_read_is_a_failure_of_the_tool(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable(*_: object, **__: object) -> None:
        raise MemoryUnavailable()

    allow(alice)
    monkeypatch.setattr("memory.retrieval.event_search.search", unavailable)
    assert told(looked_up(alice, (SEARCH, '{"query": "ASML"}'))) == [(SEARCH, "failed", "memory_unavailable", {})]


def test_an_answer_without_tools_leaves_none(alice: User) -> None:
    allow(alice)
    with served(LargeModel(then=Says(("Done.",)))):
        chat(alice)
    assert ran(alice) == []


def test_a_skill_that_a_message_starts_and_one_that_can_no_longer_start(alice: User) -> None:
    allow(alice)
    thread, session = thread_kept(alice), open_session(alice)
    started = say(alice, session, f"Run a snapshot on NVDA. {NVDA}")
    prepared = turn.prepare(alice, message(session.pk, "Refresh my SOL thread"))
    with acting_as(alice.pk):
        Thread.objects.filter(pk=thread.pk).update(state=Thread.State.CLOSED, closed_at=timezone.now())
    *_, refused = turn.stream(prepared)

    assert told(ran(alice, started.message_id)) == [("snapshot", "done", "", {})]
    temporary = say(alice, open_session(alice, remember=False), f"Run a snapshot on NVDA. {NVDA}")
    assert told(ran(alice, temporary.message_id)) == [("snapshot", "refused", "temporary", {})]
    assert isinstance(refused, TurnResult)
    [row] = ran(alice, refused.message_id)
    assert (row.kind, row.tool, row.outcome, row.error_code) == ("skill", "thread_refresh", "refused", "which_thread")


def _works_with(monkeypatch: pytest.MonkeyPatch, model: Any) -> None:
    monkeypatch.setattr(task_execution, "configured_model", lambda *_: model)


def _steps(user: User, task: ResearchTask) -> dict[str, tuple[str, str]]:
    found = ran(user, task.pk)
    assert {(row.kind, row.skill, row.intent_type) for row in found} == {("step", task.route, "research")}
    assert no_words_in(found)
    return {row.tool: (row.outcome, row.error_code) for row in found}


def test_each_step_of_research_says_whether_the_model_did_it(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    _works_with(monkeypatch, RecordingModel(answered))
    steps = _steps(alice, run(alice, NVDA))
    assert set(steps.values()) == {("done", "")}
    assert list(steps)[:2] == ["request", "inputs"]
    assert list(steps)[-3:] == ["note", "result_check", "result"]
    assert {"evidence", "counter_thesis", "thesis"} <= set(steps)

    _works_with(monkeypatch, Failing(ModelUnavailable()))
    by_rule = {
        step for step, ended in _steps(alice, run(alice, NVDA)).items() if ended == ("by_rule", "analysis_fallback")
    }
    assert {"evidence", "counter_thesis", "thesis"} <= by_rule
    assert "inputs" not in by_rule


def test_where_research_breaks_off_the_last_step_says_why(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(alice)
    says = {"statements": [{"text": "Your order has been placed."}], "thesis": "Wait.", "watch_questions": []}
    _works_with(monkeypatch, RecordingModel(lambda _: says))
    task = run(alice, "Check my decision on Nvidia.", "pre_execution")
    steps = _steps(alice, task)
    assert task.error_code == "boundary_refused"
    assert list(steps.values())[-1] == ("failed", "boundary_refused")
    assert "result" not in steps


def test_an_attempt_that_breaks_off_unforeseen_is_kept_though_it_is_tried_again(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    _works_with(monkeypatch, Failing(RuntimeError("the vineyard burnt down")))
    steps = _steps(alice, run(alice, NVDA))
    assert list(steps.values())[-1] == ("failed", "RuntimeError")


def test_they_stand_on_the_receipt_and_on_the_task_over_the_api(alice: User, charlie: User) -> None:
    allow(alice)
    with served(LargeModel(asks(query="ASML"))):
        result = chat(alice)
    task, client = run(alice, NVDA), signed_in(alice)

    [tool] = client.get(f"/api/receipts/{result.receipt_id}").json()["tools"]
    assert set(tool) == {"kind", "tool", "skill", "outcome", "error_code", "duration_ms", "counts", "at"}
    assert (tool["tool"], tool["outcome"], tool["counts"]) == (SEARCH, "done", {"found": 0, "taken": 0})
    steps = client.get(f"/api/tasks/{task.pk}").json()["steps"]
    assert [step["tool"] for step in steps] == [row.tool for row in ran(alice, task.pk)]
    for path in (f"receipts/{result.receipt_id}", f"tasks/{task.pk}"):
        assert signed_in(charlie).get(f"/api/{path}").status_code == 404


def test_they_go_with_the_conversation_and_with_the_research(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with served(LargeModel(asks(query="ASML"))):
        chat(alice, session)
    task = run(alice, NVDA)
    assert {row.run_id for row in ran(alice)} > {task.pk}

    with acting_as(alice.pk):
        forget(alice, ErasureScope.SESSION, str(session.pk), Sources.REDACT, source="web")
    drain()
    assert {row.run_id for row in ran(alice)} == {task.pk}
    with acting_as(alice.pk):
        forget(alice, ErasureScope.TASK, str(task.pk), Sources.REDACT, source="web")
    drain()
    with in_role(OPERATOR_ROLE):
        assert not ToolReceipt.objects.exists()
