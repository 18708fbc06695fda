"""Stores a finished turn, all or nothing: its messages, its receipts, and the work that follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any
from uuid import UUID

from consent.models import Experiment
from consent.permit import Permit
from consent.services import decided_permit
from finclaw.brain.answers.announced_actions import carry_out_action
from finclaw.brain.answers.types import PreparedTurn, RuleAnswer
from finclaw.brain.persona import store_persona
from finclaw.brain.prompt.guides import wording_of
from finclaw.brain.recall.window import queue_summary, update_session
from finclaw.brain.records.attachment_uses import record_attachments
from finclaw.brain.records.erasure_guard import require_unerased
from finclaw.brain.records.follow_ups import choose_follow_up
from finclaw.brain.records.turn_records import (
    awaited_rounds,
    judge_utilizations,
    learning_priority,
    mark_all_quoted,
    receipt_budget,
    receipt_lines,
    turn_messages,
    unsearched_reason,
    used_memories,
)
from finclaw.brain.tools.turn_end import TurnEnd, end_turn
from finclaw.brain.types import TurnContext, TurnRequest, TurnResult
from foundation.accounts.services import lock_user
from foundation.database.acting_program import in_full_sight
from foundation.database.acting_user import acting_as
from foundation.llm import Reply
from foundation.llm.prompt_elements import injected_elements
from foundation.telemetry.spans import recording_ids, set_span_attributes
from memory.governance.feedback import close_answered
from memory.learning.services import observe
from memory.models import ConversationEvent, Receipt
from memory.services import receipts, sessions
from memory.services.awaited_tools import store_pending_tool_calls
from memory.services.client_histories import next_history_hash
from memory.services.follow_ups import FOLLOW_UP_KEY
from memory.services.tool_receipts import write_tool_receipts
from memory.types import LineDraft, ToolRun


def store_turn(
    turn: PreparedTurn, answer: Reply, ending: TurnEnd | None = None, tool_runs: Sequence[ToolRun] = ()
) -> TurnResult:
    """Store both messages, the receipts and the work that follows in one transaction.

    ``ending`` is the ``end`` tool as the model called it, ``tool_runs`` are all tools that it called. Raises
    ``ErasureInProgress`` where something in the prompt was asked to be forgotten meanwhile, and ``AnswerStands`` where
    the answer to replace has given way meanwhile.
    """
    degraded = tuple(sorted({*turn.degraded, *answer.degraded}))
    lines, runs = _receipt_lines(turn, answer), [*tool_runs]
    user, request, rule_answer = turn.context.user, turn.context.request, turn.rule_answer
    with in_full_sight(), acting_as(user.pk):
        _lock_erasures(turn.context)
        permit = decided_permit(user)
        if rule_answer is not None:
            rule_answer = carry_out_action(permit, user, _with_question_id(rule_answer, request), runs)
            answer = replace(answer, text=rule_answer.text)
        _store_tool_calls(turn.context, answer)
        events = _store_messages(permit, turn, answer, rule_answer)
        require_unerased(permit, turn.context.session, turn.window, turn.assembly.injected, turn.context.erasures)
        receipt = _write_receipts(permit, turn, lines, degraded, unsearched_reason(rule_answer), answer)
        _write_tool_receipts(permit, turn, runs)
        question = events[0] if request.repeats is None else ConversationEvent.objects.get(pk=request.repeats.id)
        learning_job_id = _start_follow_up(permit, turn, question, events, ending)
    return TurnResult(
        message_id=request.message_id,
        reply=answer.text,
        intent=turn.intent,
        skill=rule_answer.skill if rule_answer else None,
        memories_used=used_memories(turn.assembly, turn.recall_result.context),
        degraded=degraded,
        usage=answer.usage,
        receipt_id=receipt.pk,
        question=question,
        tool_calls=answer.tool_calls,
        learning_job_id=learning_job_id,
        is_followed_up=FOLLOW_UP_KEY in receipt.generation_metadata,
    )


def _receipt_lines(turn: PreparedTurn, answer: Reply) -> list[LineDraft]:
    """A line for each memory that was considered; a rule-made answer quotes all that it was made of."""
    request, user = turn.context.request, turn.context.user
    used = (
        mark_all_quoted(turn.assembly)
        if turn.rule_answer is not None
        else judge_utilizations(turn.assembly, request.text, answer.text, user.name)
    )
    return receipt_lines(turn.assembly, turn.recall_result.context, used)


def _lock_erasures(context: TurnContext) -> None:
    """Serialise with erasures: one requested earlier is seen by this turn, a later one finds the reply stored."""
    lock_user(context.user.pk)
    if context.session.group_id is not None:
        sessions.lock_replies(context.session.group_id)


def _with_question_id(rule_answer: RuleAnswer, request: TurnRequest) -> RuleAnswer:
    """The answer; where its message is answered anew, the task it starts gets the id of that stored message."""
    if rule_answer.draft is None or request.repeats is None:
        return rule_answer
    return replace(rule_answer, draft=replace(rule_answer.draft, id=request.repeats.id))


def _store_messages(
    permit: Permit, turn: PreparedTurn, answer: Reply, rule_answer: RuleAnswer | None
) -> list[ConversationEvent]:
    context = turn.context
    messages = turn_messages(context.request, context.user.name, answer, rule_answer, in_group=context.in_group)
    found_by = _next_history_hash(context, answer)
    events = sessions.record_messages(permit, context.session, messages, ending_turn=True, history_hash=found_by)
    if context.request.repeats is None:
        record_attachments(permit, context, events[0])
    return events


def _write_receipts(
    permit: Permit,
    turn: PreparedTurn,
    lines: list[LineDraft],
    degraded: tuple[str, ...],
    unsearched_because: str,
    answer: Reply,
) -> Receipt:
    user, session, request = turn.context.user, turn.context.session, turn.context.request
    return receipts.write_receipts(
        permit,
        session,
        request.message_id,
        turn.recall_result.searches,
        lines,
        budget=receipt_budget(turn.assembly, turn.window),
        budget_exceeded=turn.assembly.budget_exceeded,
        degraded=degraded,
        context_hash=receipts.context_hash(bytes(user.content_key), injected_elements(turn.prompt)),
        intent_type=turn.intent.intent_type,
        stores=turn.stores,
        unsearched_because=unsearched_because,
        thresholds=asdict(turn.context.routing.thresholds),
        answered_by=answer.model_id,
        receipt_id=request.receipt_id,
        prompt_version=_prompt_version(permit, turn),
        generation_metadata=_generation_metadata(permit, turn) | _follow_up(permit, turn, answer),
        knowledge_ids=turn.knowledge_ids,
    )


def _generation_metadata(permit: Permit, turn: PreparedTurn) -> dict[str, Any]:
    """The user's variants in experiments, for the receipt and for the turn's trace, whose id the receipt names; nothing
    for a user who takes part in none, or who withdrew while the answer was written.

    ``prompt_version`` is named where that is what an experiment varies, and a model was asked in its words.
    """
    assignments = turn.context.assignments
    if not assignments or not permit.may_be_measured:
        return {}
    variants = {str(one.experiment_id): one.variant.name for one in assignments}
    set_span_attributes(experiments=[f"{experiment}:{variant}" for experiment, variant in variants.items()])
    trace = recording_ids().get("trace_id")
    varies_prompt = any(one.dimension == Experiment.Dimension.PROMPT_VERSION for one in assignments)
    version = wording_of(assignments).version if varies_prompt and not turn.rule_answer else ""
    named = {"experiments": variants, "prompt_version": version, "trace_id": trace}
    return {name: value for name, value in named.items() if value}


def _prompt_version(permit: Permit, turn: PreparedTurn) -> str:
    """The version of the guides that the model was given; "" for a rule, and for a user of an experiment who withdrew
    while the answer was written.
    """
    assignments = turn.context.assignments
    has_withdrawn = bool(assignments) and not permit.may_be_measured
    return "" if turn.rule_answer or has_withdrawn else wording_of(assignments).version


def _follow_up(permit: Permit, turn: PreparedTurn, answer: Reply) -> dict[str, str]:
    """The id of the question that follows the answer, for its receipt; nothing where none does."""
    question = choose_follow_up(permit, turn, answer)
    return {FOLLOW_UP_KEY: str(question.pk)} if question else {}


def _write_tool_receipts(permit: Permit, turn: PreparedTurn, runs: Sequence[ToolRun]) -> None:
    write_tool_receipts(
        permit,
        runs,
        run_id=turn.context.request.message_id,
        intent_type=turn.intent.intent_type,
        session=turn.context.session,
    )


def _start_follow_up(
    permit: Permit,
    turn: PreparedTurn,
    question: ConversationEvent,
    events: list[ConversationEvent],
    ending: TurnEnd | None,
) -> UUID | None:
    """What follows from the turn: of a message that is answered anew, only what follows from its answer.

    Returns the id of the job that learns from it, where one was queued.
    """
    user, session, request = turn.context.user, turn.context.session, turn.context.request
    if request.repeats is None:
        update_session(session, turn.intent, request.text)
        store_persona(permit, session, turn.persona, events[0])
        if (
            turn.rule_answer is not None
            and turn.rule_answer.answers_objection
            and permit.may_learn
            and session.remember
        ):
            # Learning would close the receipt of the doubted answer, but nothing is learned from this message.
            close_answered(permit, events[0])
        queue_summary(permit, session, turn.window, events)
    learning_job = observe(permit, events, priority=learning_priority(turn.intent))
    if ending is not None:
        messages = events if request.repeats is None else [question, *events]
        end_turn(permit, user, session, messages, ending, is_repeated=request.repeats is not None)
    return learning_job.pk if learning_job else None


def _next_history_hash(context: TurnContext, answer: Reply) -> str | None:
    """The hash of the history by which a program goes on; None where no program asks."""
    history = context.request.program.history
    if history is None:
        return None
    return next_history_hash(context.user, history, "" if answer.tool_calls else answer.text)


def _store_tool_calls(context: TurnContext, answer: Reply) -> None:
    """Store the tools that a program has to run before it goes on."""
    program = context.request.program
    store_pending_tool_calls(context.session, context.request.message_id, awaited_rounds(program, answer))
