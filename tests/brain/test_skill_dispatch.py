"""A message that asks for work (B-3): started with its turn and done by the worker, or declined kindly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from django.db import connection
from django.test import override_settings
from django.utils import timezone

from consent.permit import Permit
from finclaw.brain import turn
from finclaw.brain.answers import announced_actions
from finclaw.brain.research.services import create_research_task
from finclaw.brain.skills import registry
from finclaw.brain.skills.wording import phrase
from finclaw.brain.types import TurnResult
from finclaw.erasure import forget
from finclaw.web.erasure_confirmations import confirm_session
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from foundation.llm import TokenUsage
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.models import ConversationEvent, MemoryItem, ResearchTask, Session, Thread
from memory.research.types import TaskDraft
from memory.services.sessions import message_before
from tests.brain.test_turn import ask, message
from tests.support.cast import allow, group_with
from tests.support.model_server import ModelServer, Says
from tests.support.organisation import employ
from tests.support.research import thread_kept
from tests.support.talk import open_session, permit_of

NVDA = "Run a snapshot on NVDA. Nvidia reported revenue of 46.7 billion dollars on 27 August 2025."
ORDER = "Buy 100 shares of NVDA at market for me."


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    with (
        ModelServer() as server,
        override_settings(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_MAX_RETRIES=0),
    ):
        yield server


def tasks_of(user: User) -> list[ResearchTask]:
    with acting_as(user.pk):
        return list(ResearchTask.objects.order_by("created_at"))


def question_of(user: User, result: TurnResult) -> ConversationEvent:
    with acting_as(user.pk):
        question = message_before(ConversationEvent.objects.get(pk=result.message_id))
    assert question is not None
    return question


def working_for(name: str, *people: User, **settings: object) -> None:
    employ(Tenant.objects.create(name=name, settings=settings), *people)


def test_what_is_asked_for_is_started_and_told_and_done(alice: User) -> None:
    allow(alice)
    result = ask(alice, open_session(alice), NVDA)

    assert result.skill == "snapshot"
    assert result.intent.action_required
    assert "Started: Snapshot of Nvidia" in result.reply
    assert (result.usage, result.degraded, result.memories_used) == (TokenUsage(0, 0), (), ())
    [task] = tasks_of(alice)
    assert (task.pk, task.route, task.prompt, task.state) == (
        question_of(alice, result).pk, "snapshot", NVDA, ResearchTask.State.PENDING,
    )  # fmt: skip
    drain()
    assert tasks_of(alice)[0].state == ResearchTask.State.COMPLETED


def test_a_stream_says_that_it_started_once_it_is_queued(alice: User) -> None:
    allow(alice)
    pieces = turn.stream(turn.prepare(alice, message(open_session(alice).pk, "帮我做一份贵州茅台的快照")))
    assert tasks_of(alice) == []
    assert "已开始：快照：贵州茅台" in str(next(pieces))
    assert len(tasks_of(alice)) == 1
    [result] = pieces
    assert isinstance(result, TurnResult)
    assert result.skill == "snapshot"


def test_a_thread_that_is_closed_meanwhile_is_not_said_to_be_looked_at(alice: User) -> None:
    allow(alice)
    thread, session = thread_kept(alice), open_session(alice)
    before = len(tasks_of(alice))
    prepared = turn.prepare(alice, message(session.pk, "Refresh my SOL thread"))
    with acting_as(alice.pk):
        Thread.objects.filter(pk=thread.pk).update(state=Thread.State.CLOSED, closed_at=timezone.now())
    told, result = turn.stream(prepared)
    assert told == phrase("en", "which_thread")
    assert isinstance(result, TurnResult)
    assert (result.skill, result.reply, len(tasks_of(alice))) == (None, told, before)


def test_a_turn_that_fails_starts_nothing(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def started_and_broken(permit: Permit, user: User, draft: TaskDraft) -> None:
        create_research_task(permit, user, draft)
        raise RuntimeError("the disk is full")

    allow(alice)
    session = open_session(alice)
    with monkeypatch.context() as patched:
        patched.setattr(announced_actions, "create_research_task", started_and_broken)
        with pytest.raises(RuntimeError):
            ask(alice, session, NVDA)
    with acting_as(alice.pk):
        assert (ResearchTask.objects.count(), ConversationEvent.objects.count()) == (0, 0)
    assert ask(alice, session, NVDA).skill == "snapshot"


def test_in_a_group_the_task_is_that_of_who_asked(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    ask(alice, session, NVDA)
    assert len(tasks_of(alice)) == 1
    assert tasks_of(bob) == []


def test_a_view_that_is_pointed_at_is_what_was_said_before(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    assert "cannot tell what this is" in ask(alice, session, "Challenge this view").reply
    ask(alice, open_session(alice), "hello")
    ask(alice, session, "I think rates stay high because wages grow")
    assert ask(alice, session, "Challenge this view").skill == "risk_challenge"
    [task] = tasks_of(alice)
    assert task.prompt == "I think rates stay high because wages grow\nChallenge this view"


def test_a_refresh_is_of_the_thread_that_is_meant(alice: User) -> None:
    allow(alice)
    nowhere = ask(alice, open_session(alice), "Refresh my NVDA thread")
    assert (nowhere.skill, tasks_of(alice)) == (None, [])
    assert "Threads" in nowhere.reply

    thread = thread_kept(alice)
    before = len(tasks_of(alice))
    assert ask(alice, open_session(alice), "Refresh my NVDA thread").skill is None  # it is about SOL
    assert ask(alice, open_session(alice), "Refresh my SOL thread").skill == "thread_refresh"
    assert ask(alice, open_session(alice, thread_id=thread.pk), "Challenge the thesis").skill == "risk_challenge"
    assert [task.thread_id for task in tasks_of(alice)[before:]] == [thread.pk, thread.pk]
    with acting_as(alice.pk):
        assert Thread.objects.get().pk == thread.pk


def test_a_thread_is_refreshed_only_where_it_is_meant(alice: User, bob: User) -> None:
    allow(alice)
    thread = thread_kept(alice)
    before = len(tasks_of(alice))
    for text in ("Refresh my Berlin housing thread", "Update my LinkedIn thread", "刷新黄金线程", "帮我更新一下线程池"):
        assert ask(alice, open_session(alice), text).skill is None
    in_group = open_session(alice, group_id=group_with(alice, [bob]).pk)
    assert ask(alice, in_group, "Refresh my SOL thread").reply == phrase("en", "which_thread")  # its title is not told
    assert len(tasks_of(alice)) == before

    ask(alice, open_session(alice, thread_id=thread.pk), "Run a snapshot on the Berlin housing market")
    ask(alice, open_session(alice), "刷新我的线程")
    assert [task.thread_id for task in tasks_of(alice)[before:]] == [None, thread.pk]


def test_an_unrelated_message_before_is_no_part_of_the_task(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    ask(alice, session, "My wife Xenia is pregnant again.")
    ask(alice, session, "Challenge my view that rents are too high")
    assert [task.prompt for task in tasks_of(alice)] == ["Challenge my view that rents are too high"]


@pytest.mark.parametrize(
    ("text", "key", "language"),
    [(NVDA, "not_covered", "en"), ("帮我做一份贵州茅台的快照", "not_covered", "zh")],
)
def test_what_an_organisation_does_not_offer_is_answered_kindly(
    alice: User, text: str, key: str, language: str
) -> None:
    allow(alice)
    working_for("Acme", alice, skill_whitelist=["evidence_audit"])
    result = ask(alice, open_session(alice), text)
    assert (result.skill, result.reply) == (None, phrase(language, key))  # type: ignore[arg-type]
    assert tasks_of(alice) == []
    assert ask(alice, open_session(alice), "Audit the evidence for NVDA's margins").skill == "evidence_audit"


def test_neither_a_viewer_nor_an_installation_without_the_worker_starts_anything(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(alice)
    monkeypatch.setattr("finclaw.brain.answers.dispatch.handlers", dict)
    assert ask(alice, open_session(alice), NVDA).reply == phrase("en", "not_covered")
    monkeypatch.undo()
    alice.role = User.Role.VIEWER
    assert ask(alice, open_session(alice), NVDA).reply == phrase("en", "not_covered")
    assert tasks_of(alice) == []


def test_a_temporary_chat_keeps_nothing_not_even_research(alice: User) -> None:
    allow(alice)
    assert "temporary" in ask(alice, open_session(alice, remember=False), NVDA).reply
    assert tasks_of(alice) == []


@pytest.mark.parametrize(("text", "language"), [(ORDER, "en"), ("帮我买入100股英伟达", "zh")])
def test_a_request_to_act_is_refused_in_the_same_words_and_teaches_nothing(
    alice: User, model_server: ModelServer, text: str, language: str
) -> None:
    allow(alice)
    result = ask(alice, open_session(alice), text)
    assert (result.skill, result.reply, result.usage) == (None, phrase(language, "boundary"), TokenUsage(0, 0))  # type: ignore[arg-type]
    assert model_server.requests == []
    drain()
    with acting_as(alice.pk):
        assert (ResearchTask.objects.count(), MemoryItem.objects.count(), OutboxMessage.objects.count()) == (0, 0, 0)
        assert not ConversationEvent.objects.filter(learnable=True).exists()


def test_what_an_order_would_need_is_refused_before_a_checkpoint_too(alice: User) -> None:
    allow(alice)
    result = ask(alice, open_session(alice), "Run a pre-trade check on AAPL, limit_price: 50")
    assert (result.skill, result.reply) == (None, phrase("en", "boundary"))
    assert tasks_of(alice) == []


def test_a_small_model_says_that_work_is_wanted_and_no_other_is_asked(alice: User, model_server: ModelServer) -> None:
    allow(alice)
    understood = (
        '{"intent_type": "research", "confidence": 0.9, "action_required": true, "extracted_entities": {},'
        ' "context_hints": [], "queries": []}'
    )
    model_server.script([Says((understood,))])
    result = ask(alice, open_session(alice), "NVDA, the usual please: where does it stand?")
    assert (result.skill, result.intent.confidence) == ("snapshot", 0.9)
    assert len(model_server.requests) == 1


def test_work_that_no_skill_does_is_talked_about_by_a_model_where_there_is_one(
    alice: User, model_server: ModelServer
) -> None:
    allow(alice)
    understood = (
        '{"intent_type": "chat", "confidence": 0.9, "action_required": true, "extracted_entities": {},'
        ' "context_hints": [], "queries": []}'
    )
    model_server.script([Says((understood,))])
    result = ask(alice, open_session(alice), "Please write a poem for me")
    assert (result.skill, result.reply) == (None, "Hello.")
    assert tasks_of(alice) == []


def test_forgetting_the_chat_forgets_what_was_started_in_it(alice: User) -> None:
    allow(alice)
    session, other = open_session(alice), open_session(alice)
    ask(alice, session, NVDA)
    ask(alice, other, "Run a snapshot on SOL")
    drain()
    with acting_as(alice.pk):
        assert "1 piece of research, with what came of it" in confirm_session(permit_of(alice), str(session.pk)).goes
    with acting_as(alice.pk):
        forget(alice, "session", str(session.pk), "", source="web")  # type: ignore[arg-type]
    drain()
    assert [task.prompt for task in tasks_of(alice)] == ["Run a snapshot on SOL"]


def test_with_every_skill_pulled_out_one_is_still_understood(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "SKILLS", tuple(replace(one, can_handle=lambda *_: 0.0) for one in registry.SKILLS))
    allow(alice)
    result = ask(alice, open_session(alice), NVDA)
    assert result.intent.action_required
    assert (result.skill, result.reply) == (None, phrase("en", "not_covered"))


def test_a_plain_turn_of_an_organisations_member_never_asks_for_it_again(alice: User) -> None:
    allow(alice)
    working_for("Acme", alice, skill_whitelist=["evidence_audit"])
    alice.refresh_from_db()
    session: Session = open_session(alice)
    asked: list[str] = []

    def noted(execute: Callable[..., object], sql: str, *rest: object) -> object:
        asked.append(str(sql))
        return execute(sql, *rest)

    with connection.execute_wrapper(noted):
        prepared = turn.prepare(alice, message(session.pk, "What do I follow?"))
        list(turn.stream(prepared))
    assert "an audit of evidence" in prepared.prompt.system
    assert "a snapshot of something" not in prepared.prompt.system
    assert asked
    assert not [sql for sql in asked if 'FROM "accounts_tenant"' in sql]
