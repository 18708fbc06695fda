"""The conversation turn, from message to stored reply; read it top to bottom.

Permit → intent → query rewrites → recall, with knowledge beside it → sanitization → assembly → model, with no
transaction and no connection held → one atomic block with the messages, the receipts and the outbox rows. A request for
work is answered by rule instead, and the task it starts is queued in that block. Streaming and plain replies share
``prepare`` and ``finish``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from consent.permit import Permit
from consent.services import permit_for
from finclaw.brain.answers.announced_actions import carry_out
from finclaw.brain.answers.dispatch import OwnAnswer, SkillRequest
from finclaw.brain.answers.own_answers import PreparedOwnAnswer, answer_self_question, answer_work_request
from finclaw.brain.boundary import asks_to_execute
from finclaw.brain.context_slices import stated_fields
from finclaw.brain.persona import (
    TurnPersona,
    build_persona,
    read_reply_style,
    store_persona,
    with_preferences,
    with_reply_style,
    without_persona_preferences,
)
from finclaw.brain.prompt.composition import ComposedPrompt, compose_prompt, configured_allocator, configured_limits
from finclaw.brain.prompt.layers import PromptParts
from finclaw.brain.recall.organisation_knowledge import (
    KnowledgeAnswer,
    KnownAliases,
    aliases_known_to,
    begin_query,
    find_overruled,
    overruled_decisions,
)
from finclaw.brain.recall.search import NOTHING_RECALLED, RecallResult, embed_queries, recall
from finclaw.brain.recall.window import Window, active_window, queue_summary, update_session
from finclaw.brain.records.erasure_guard import require_unerased
from finclaw.brain.records.explanation import receipt_lines, used_memories
from finclaw.brain.records.turn_records import (
    judge_utilizations,
    learning_priority,
    mark_all_quoted,
    receipt_budget,
    turn_messages,
)
from finclaw.brain.records.turn_release import release_session
from finclaw.brain.sanitization.candidates import (
    sanitize_candidates,
    sanitize_context,
    sanitize_entities,
    sanitize_snippets,
)
from finclaw.brain.self_questions import followup_recognition, recognition
from finclaw.brain.skills.selection import is_covered
from finclaw.brain.tools import rounds as tool_rounds
from finclaw.brain.tools.decisions import with_tool_decisions
from finclaw.brain.tools.turn_end import TurnEnd, end_turn
from finclaw.brain.types import Assembly, Intent, TurnRequest, TurnResult
from finclaw.brain.understanding.intent import classify, read_intent
from finclaw.brain.understanding.query_rewrites import rewrite_query
from foundation.accounts.models import User
from foundation.accounts.services import lock_user
from foundation.database.acting_user import acting_as, give_back_connection
from foundation.llm import LanguageModel, Prompt, Reply, configured_model
from foundation.llm.prompt_elements import injected_elements
from foundation.personal_data import ConsentScope
from foundation.sanitization.types import SafeText
from foundation.telemetry.spans import traced
from memory.learning.services import observe
from memory.models import Session
from memory.services import receipts, sessions
from memory.services.agent_experience import experience_hints
from personas.message_wishes import infer_wishes

Delta = str
_SHORT: Final = 500  # characters
_SHORTLY: Final = 0.0005  # seconds


@dataclass(frozen=True)
class PreparedTurn:
    """Everything decided before the model is asked."""

    user: User
    session: Session
    request: TurnRequest
    prompt: Prompt
    intent: Intent
    assembly: Assembly
    recalled: RecallResult
    degraded: tuple[str, ...]
    window: Window  # the part of the conversation in the prompt
    stores: tuple[str, ...]  # the knowledge stores that answered
    erasures: int  # how many the user had requested when the turn began
    persona: TurnPersona
    looks_up: bool = False  # whether the model may call look-up tools
    ends_turn: bool = False  # whether it may call ``end``
    ending: TurnEnd | None = None  # the arguments of its ``end``
    own: OwnAnswer | None = None  # the rule-made answer that replaces the model's


@traced("turn")
def reply(user: User, request: TurnRequest) -> TurnResult:
    """Answer a message at once. Raises what ``prepare`` raises, and ``ModelUnavailable``; then nothing is stored."""
    turn = prepare(user, request)
    return _release_on_failure(
        turn, lambda: _finish_with_lookups(turn, tool_rounds.drain(_generate_reply(turn, tool_rounds.ask_for_whole)))
    )


@traced("turn")
def stream(turn: PreparedTurn) -> Generator[Delta | TurnResult, None, None]:
    """Answer piece by piece; the last item is the stored turn. A broken stream stores nothing.

    Runs after the request's transaction has ended, so it opens its own and holds none while it yields.
    """
    answer = _generate_reply(turn, tool_rounds.ask_for_pieces)
    finished = False
    try:
        # The task that a rule-made answer announces is queued before the answer is sent.
        result = _finish_with_lookups(turn, tool_rounds.drain(answer) if turn.own else (yield from answer))
        finished = True
        if turn.own:
            yield result.reply
        yield result
    finally:
        if not finished:
            release_session(turn.user, turn.session)


def _generate_reply(
    turn: PreparedTurn, how: Callable[[LanguageModel], tool_rounds.AskModel]
) -> Generator[Delta, None, tool_rounds.CompletedReply]:
    if turn.own is not None:
        return tool_rounds.give_fixed_reply(turn.own.text, turn.prompt)
    model = configured_model()
    room = tool_rounds.tool_room(turn.prompt, configured_limits()) if turn.looks_up else 0
    message = turn.request.text if turn.ends_turn else ""
    rounds = tool_rounds.ToolRounds(turn.user, turn.session, turn.prompt, model, room=room, message=message)
    return tool_rounds.converse(how(model), rounds)


def _finish_with_lookups(turn: PreparedTurn, completed: tool_rounds.CompletedReply) -> TurnResult:
    """Store the turn together with what the model looked up."""
    recalled = replace(turn.recalled, searches=(*turn.recalled.searches, *completed.searches))
    assembly = with_tool_decisions(turn.assembly, completed.decisions)
    spoken_turn = replace(turn, prompt=completed.prompt, assembly=assembly, recalled=recalled, ending=completed.ending)
    return finish(spoken_turn, completed.reply)


def prepare(user: User, request: TurnRequest) -> PreparedTurn:
    """Everything before the model is asked. Call outside any transaction.

    Raises ``ProfileConsentRequired``, ``NotFound``, ``SessionArchived`` or ``ReplyPending``.
    """
    with acting_as(user.pk):
        permit = _load_permit(user)
        session = sessions.begin_turn(permit, request.session_id)
        names = aliases_known_to(user)
    try:
        return _prepare_model_turn(user, session, request, permit.erasures, names)
    except BaseException:
        release_session(user, session)
        raise


def _prepare_model_turn(
    user: User, session: Session, request: TurnRequest, erasures: int, names: KnownAliases
) -> PreparedTurn:
    if asks_to_execute(request.text):
        return _prepare_work_answer(user, session, request, classify(request.text), erasures, names, asks_to_act=True)
    if (told := _prepare_self_answer(user, session, request, erasures)) is not None:
        return told
    _let_others_run(request.text)
    model = configured_model()
    consultation = begin_query(user, request.text, in_group=session.group_id is not None)
    intent, degraded = read_intent(request.text, model)
    if intent.action_required and (model.is_offline or is_covered(intent, request.text)):
        consultation.abandon()
        ours = _prepare_work_answer(user, session, request, intent, erasures, names)
        return replace(ours, degraded=degraded + names.degraded)
    answers = not degraded  # a small model that just failed is not waited for again
    rewritten = rewrite_query(request.text, intent, model, names.groups, reachable=answers)
    _let_others_run(request.text)
    questions = embed_queries(rewritten)
    _let_others_run(request.text)
    inferred = infer_wishes(request.text)
    with acting_as(user.pk):
        # The consent is read again: a withdrawal while the small model thought counts.
        recent = active_window(session)
        permit = _load_permit(user)
        recalled = recall(permit, session, questions, user.name, recent.since)
        reply_style = read_reply_style(permit, user, session, inferred, was_read=recalled.was_read)
        learned = experience_hints(permit, user, intent.intent_type)
        may_read = permit.allows(ConsentScope.MEMORY_LEARNING)
        may_learn = session.remember and may_read
    known = consultation.result()
    gave_way = _find_overruled_ids(user, recalled, known)
    give_back_connection()
    candidates, unjudged = sanitize_candidates(recalled.candidates, model, reachable=answers)
    recalled = replace(recalled, candidates=without_persona_preferences(candidates, reply_style, intent))
    looks_up = may_read and tool_rounds.offers_tools()
    ends_turn = looks_up and may_learn
    parts = _prompt_parts(session, request, intent, recalled, recent, known, learned)
    parts = replace(parts, may_learn=may_learn, ends_turn=ends_turn)
    parts = with_reply_style(parts, reply_style, recalled.candidates)
    persona = build_persona(reply_style, parts.knowledge, recalled.candidates)
    composed = _compose_for_session(session, parts, recalled, gave_way, persona)
    degraded += names.degraded + rewritten.degraded + recalled.degraded + known.degraded + unjudged + composed.degraded
    shown = replace(recent, summaries=tuple(composed.parts.summaries))
    return PreparedTurn(
        user, session, request, composed.prompt, intent, composed.assembly, recalled, degraded, shown,
        known.stores_used, erasures, persona, looks_up, ends_turn,
    )  # fmt: skip


def _let_others_run(message: str) -> None:
    """Yield to other greenlets between two computing steps: one process serves many requests, and a long message takes
    each step tens of milliseconds; a short one well under one.
    """
    if len(message) > _SHORT:
        time.sleep(_SHORTLY)


def _prepare_work_answer(
    user: User, session: Session, request: TurnRequest, intent: Intent, erasures: int, names: KnownAliases, *,
    asks_to_act: bool = False,
) -> PreparedTurn:  # fmt: skip
    """The turn of a message that asks for work."""
    with acting_as(user.pk):
        asked = SkillRequest(request.text, intent, session, names.groups, asks_to_act=asks_to_act)
        ours = answer_work_request(_load_permit(user), user, asked)
    return _prepare_own_answer(user, session, request, intent, erasures, ours)


def _prepare_self_answer(user: User, session: Session, request: TurnRequest, erasures: int) -> PreparedTurn | None:
    """The turn of a question about oneself, or of a follow-up on one; None for any other message."""
    followup = followup_recognition.read_followup(request.text) if session.group_id is None else None
    question = followup or recognition.read_self_question(request.text)
    if question is None:
        return None
    with acting_as(user.pk):
        ours = answer_self_question(_load_permit(user), user, session, request.text, question)
    if ours is None:
        return None
    is_correction = followup is not None and followup.kind == "correct"
    intent = Intent("correction" if is_correction else "memory_check", 1.0)
    return _prepare_own_answer(user, session, request, intent, erasures, ours)


def _prepare_own_answer(
    user: User, session: Session, request: TurnRequest, intent: Intent, erasures: int, ours: PreparedOwnAnswer
) -> PreparedTurn:
    return PreparedTurn(
        user, session, request, ours.prompt, intent, ours.quoted, NOTHING_RECALLED, (), ours.window, (), erasures,
        ours.persona, own=ours.own,
    )  # fmt: skip


def _find_overruled_ids(user: User, recalled: RecallResult, known: KnowledgeAnswer) -> frozenset[UUID]:
    """Ids of the memories that the organisation's knowledge overrules."""
    if not known.snippets:
        return frozenset()
    with acting_as(user.pk):
        return find_overruled(_load_permit(user), recalled.candidates, known.snippets)


def _prompt_parts(
    session: Session, request: TurnRequest, intent: Intent, recalled: RecallResult, recent: Window,
    known: KnowledgeAnswer, learned: Sequence[SafeText],
) -> PromptParts:  # fmt: skip
    """Every part of the prompt but the memories, sanitized."""
    return PromptParts(
        message=request.text,
        intent=intent,
        memories=(),
        context=sanitize_context(stated_fields(recalled.context)),
        entity_slots=sanitize_entities(session.entity_slots),
        summaries=recent.summaries,
        recent=recent.messages,
        knowledge=sanitize_snippets(known.snippets),
        hints=learned,
        was_read=recalled.was_read,
    )


def _compose_for_session(
    session: Session, parts: PromptParts, recalled: RecallResult, gave_way: frozenset[UUID], persona: TurnPersona
) -> ComposedPrompt:
    composed = compose_prompt(
        replace(parts, persona=persona.context),
        [candidate for candidate in recalled.candidates if candidate.id not in gave_way],
        configured_limits(),
        configured_allocator(),
        depth=session.last_seq // 2,
        refused=overruled_decisions(recalled.candidates, gave_way),
    )
    return replace(composed, assembly=with_preferences(composed.assembly, persona.decisions))


def finish(turn: PreparedTurn, answer: Reply) -> TurnResult:
    """Store both messages, the receipts and the work that follows, all or nothing.

    Raises ``ErasureInProgress`` where something in the prompt was asked to be forgotten meanwhile.
    """
    message_id = turn.request.message_id
    degraded = tuple(dict.fromkeys(turn.degraded + answer.degraded))
    own = turn.own
    used = (
        mark_all_quoted(turn.assembly)
        if own is not None
        else judge_utilizations(turn.assembly, turn.request.text, answer.text, turn.user.name)
    )
    lines = receipt_lines(turn.assembly, turn.recalled.context, used)
    with acting_as(turn.user.pk):
        _lock_erasures(turn)
        permit = _load_permit(turn.user)
        if own is not None:
            own = carry_out(permit, turn.user, own)
            answer = replace(answer, text=own.text)
        said = turn_messages(turn.request, turn.user.name, answer, own, in_group=turn.session.group_id is not None)
        events = sessions.record_messages(permit, turn.session, said, ending_turn=True)
        require_unerased(permit, turn.session, turn.window, turn.assembly.injected, turn.erasures)
        update_session(turn.session, turn.intent, turn.request.text)
        receipt = receipts.write_receipts(
            permit, turn.session, message_id, turn.recalled.searches, lines,
            budget=receipt_budget(turn.assembly, turn.window), degraded=degraded,
            budget_exceeded=turn.assembly.budget_exceeded,
            context_hash=receipts.context_hash(bytes(turn.user.content_key), injected_elements(turn.prompt)),
            intent_type=turn.intent.intent_type, stores=turn.stores,
        )  # fmt: skip
        store_persona(permit, turn.session, turn.persona, events[0])
        observe(permit, events, priority=learning_priority(turn.intent))
        if turn.ending is not None:
            end_turn(permit, turn.user, turn.session, events, turn.ending)
        queue_summary(permit, turn.session, turn.window, events)
    return TurnResult(
        message_id=message_id,
        reply=answer.text,
        intent=turn.intent,
        skill=own.skill if own else None,
        memories_used=used_memories(turn.assembly, turn.recalled.context),
        degraded=degraded,
        usage=answer.usage,
        receipt_id=receipt.pk,
    )


def _lock_erasures(turn: PreparedTurn) -> None:
    """Serialise with erasures: one requested earlier is seen by this turn, a later one finds the reply stored."""
    lock_user(turn.user.pk)
    if turn.session.group_id is not None:
        sessions.lock_replies(turn.session.group_id)


def _load_permit(user: User) -> Permit:
    permit = permit_for(user)
    permit.require_decision()
    return permit


def _release_on_failure(turn: PreparedTurn, work: Callable[[], TurnResult]) -> TurnResult:
    try:
        return work()
    except BaseException:
        release_session(turn.user, turn.session)
        raise
