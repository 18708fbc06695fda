"""The conversation turn, from message to stored reply; read it top to bottom.

Permit → intent by rules → recall, with knowledge and, where the rules are not sure, the small model's reading beside
it → sanitization → assembly → model, with no transaction and no connection held → one atomic block with the messages,
the receipts and the outbox rows. A request for work is answered by rule instead, and the task it starts is queued in
that block. Streaming and plain replies share ``prepare`` and ``store_turn``.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from datetime import datetime
from functools import partial
from uuid import UUID

from django.utils import timezone

from consent.services import decided_permit, turn_permit
from finclaw.brain.answers.answering_model import converse_with_fallback
from finclaw.brain.answers.fallback_answers import Interruption, answer_without_model
from finclaw.brain.answers.model_answers import (
    embed_message,
    extend_memory,
    prepare_model_answer,
    read_latest,
    read_memory,
)
from finclaw.brain.answers.rule_answers import prepare_self_answer, prepare_work_answer
from finclaw.brain.answers.types import PreparedTurn
from finclaw.brain.boundary import asks_to_execute
from finclaw.brain.cooperative_yield import yield_to_other_requests
from finclaw.brain.prompt.budget import configured_limits
from finclaw.brain.recall.attachments import attached_files
from finclaw.brain.recall.organisation_knowledge import begin_query, organisation_aliases
from finclaw.brain.records.turn_release import keep_turn_lease
from finclaw.brain.records.turn_storage import store_turn
from finclaw.brain.skills.selection import is_any_skill_able
from finclaw.brain.tools import reply_streams
from finclaw.brain.tools import rounds as tool_rounds
from finclaw.brain.tools.decisions import with_tool_decisions
from finclaw.brain.turn_budget import TurnBudget
from finclaw.brain.types import Intent, TurnContext, TurnRequest, TurnResult
from finclaw.brain.understanding.intent import classify
from finclaw.brain.understanding.message_reading import begin_reading
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.ids import new_id
from foundation.llm import LanguageModel, ModelUnavailable, configured_model
from foundation.telemetry.degradations import collect_degradations
from foundation.telemetry.spans import traced
from memory.services import turn_leases
from memory.services.repeated_questions import repeated_question

Delta = str


@traced("turn")
def reply(user: User, request: TurnRequest) -> TurnResult:
    """Answer a message at once: from memory where the models fail. Raises what ``prepare`` raises."""
    turn = prepare(user, request)
    with keep_turn_lease(turn.context.user, turn.context.session):
        return _store_with_lookups(turn, reply_streams.drain(_generate_reply(turn, reply_streams.ask_for_whole)))


@traced("turn")
def stream(turn: PreparedTurn) -> Generator[Delta | Interruption | TurnResult, None, None]:
    """Answer piece by piece; the last item is the stored turn. A stream that its reader leaves stores nothing.

    Where a model fails, an ``Interruption`` follows the pieces of its answer, and another answer begins. There may be
    two.
    Runs after the request's transaction has ended, so it opens its own and holds none while it yields.
    """
    answer = _generate_reply(turn, reply_streams.ask_for_pieces)
    with keep_turn_lease(turn.context.user, turn.context.session):
        # The task that a rule-made answer announces is queued before the answer is sent.
        result = _store_with_lookups(turn, reply_streams.drain(answer) if turn.rule_answer else (yield from answer))
    if turn.rule_answer:
        yield result.reply
    yield result


def prepare(user: User, request: TurnRequest) -> PreparedTurn:
    """Everything before the model is asked. Call outside any transaction.

    Raises ``ProfileConsentRequired``, ``NotFound``, ``SessionArchived``, ``ReplyPending``, ``AnswerStands``,
    ``MediaNotSafe`` for a message with a file that was not found safe, or ``ModelUnavailable`` where a message cannot
    be answered anew.
    """
    degraded: dict[str, None] = {}
    with collect_degradations(degraded):
        with acting_as(user.pk):
            permit = turn_permit(user)
            session = turn_leases.begin_turn(permit, request.session_id)
            if request.repeats and not request.repeats.awaits_tools:
                repeated_question(permit, request.repeats.answer.id)  # it may have been answered meanwhile
            files = attached_files(permit, request)
            names, assignments = organisation_aliases(), permit.assignments()
            context = TurnContext(user, session, request, permit.erasures, names, assignments, files)
        with keep_turn_lease(user, session):
            turn = _prepare_answer(context)
    return replace(turn, degraded=tuple(degraded))


def repeated_request(user: User, message_id: UUID, reply_id: UUID | None = None) -> TurnRequest:
    """A request to answer a stored message anew, by its id or that of the answer that the model failed.

    Where the model fails again, ``ModelUnavailable`` is raised and everything stays as it is. Raises
    ``ProfileConsentRequired``, ``NotFound`` and ``AnswerStands``.
    """
    with acting_as(user.pk):
        question = repeated_question(decided_permit(user), message_id)
    return TurnRequest(question.session_id, question.blocks, reply_id or new_id(), question)


def _prepare_answer(context: TurnContext) -> PreparedTurn:
    """The rule-made answer where rules can answer, else what the model is asked."""
    message, text = context.request.message, context.request.text
    if asks_to_execute(text):
        return prepare_work_answer(context, classify(message, _wall_clock(context)), asks_to_act=True)
    if not context.request.program.fixes_answer and (self_answer := prepare_self_answer(context)) is not None:
        return self_answer
    yield_to_other_requests(text)
    model = _model_to_answer(context)
    by_rules = classify(message, _wall_clock(context), has_history=context.goes_on and not context.in_group)
    if _asks_for_work(context, by_rules, of_any_kind=model.is_offline):
        return prepare_work_answer(context, by_rules)
    budget = TurnBudget.configured()
    reading = begin_reading(message, by_rules, model, budget, lambda: read_latest(context, by_rules))
    questions = embed_message(context, by_rules)
    consultation = begin_query(context.user, questions[0], context.request.platform, in_group=context.in_group)
    memory = read_memory(context, by_rules, questions)
    understood = reading.result()
    if _asks_for_work(context, understood.intent):
        consultation.abandon()
        return prepare_work_answer(context, understood.intent)
    if reading.is_asked:
        memory = extend_memory(context, understood, memory)
    return replace(prepare_model_answer(context, understood.intent, memory, consultation), budget=budget)


def _asks_for_work(context: TurnContext, intent: Intent, *, of_any_kind: bool = False) -> bool:
    """Whether a rule answers the message: it asks for work that some skill does, or for work ``of_any_kind``."""
    if context.request.program.fixes_answer or not intent.action_required:
        return False
    return of_any_kind or is_any_skill_able(intent, context.request.message, context.routing)


def _model_to_answer(context: TurnContext) -> LanguageModel:
    """The model that the user may use now.

    Raises ``ModelUnavailable`` where a message would be answered anew by the offline model: its answer would replace
    one as good, and could not be tried again.
    """
    model = configured_model(context.user.tenant_id)
    if context.request.repeats and model.is_offline:
        raise ModelUnavailable()
    return model


def _wall_clock(context: TurnContext) -> datetime:
    """The time in the zone where the conversation was begun, if its speaker began it, else where the speaker is."""
    return timezone.make_naive(timezone.now(), context.zone)


def _generate_reply(
    turn: PreparedTurn, how: reply_streams.WayOfAsking
) -> Generator[Delta | Interruption, None, reply_streams.CompletedReply]:
    if turn.rule_answer is not None:
        return (yield from reply_streams.give_fixed_reply(turn.rule_answer.text, turn.prompt))
    model = _model_to_answer(turn.context)
    room = tool_rounds.tool_room(turn.prompt, configured_limits()) if turn.call.takes_tools else 0
    rounds = tool_rounds.ToolRounds(
        turn.context.user,
        turn.context.session,
        turn.prompt,
        model,
        room=room,
        looks_up=turn.call.looks_up,
        message=turn.context.request.text if turn.call.ends_turn else "",
        overruled=turn.overruled,
        budget=turn.budget,
    )
    try:
        ask = partial(how, parts=turn.content_parts)
        return (yield from converse_with_fallback(ask, model, turn.call.role, rounds))
    except ModelUnavailable as error:
        if turn.context.request.repeats or turn.context.request.program.fixes_answer:
            raise
        yield Interruption(error)
        answer = answer_without_model(rounds.prompt, error)
        yield answer.text
        return replace(rounds.complete(answer), ending=None)  # the message is written up later, as any other


def _store_with_lookups(turn: PreparedTurn, completed: reply_streams.CompletedReply) -> TurnResult:
    """Store the turn together with what the model looked up."""
    recalled = replace(turn.recall_result, searches=(*turn.recall_result.searches, *completed.searches))
    assembly = with_tool_decisions(turn.assembly, completed.decisions)
    completed_turn = replace(turn, prompt=completed.prompt, assembly=assembly, recall_result=recalled)
    return store_turn(completed_turn, completed.reply, completed.ending, completed.runs)
