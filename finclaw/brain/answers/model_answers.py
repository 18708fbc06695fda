"""Prepares what the model is asked in a turn: recall beside what the organisation knows, sanitization, composition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from django.utils import timezone

from consent.permit import Permit
from consent.services import permit_for, permit_for_answers
from finclaw.brain.answers.assembly_profiles import AssemblyProfile, answering_call
from finclaw.brain.answers.types import PreparedTurn
from finclaw.brain.context_slices import stated_fields
from finclaw.brain.cooperative_yield import yield_to_other_requests
from finclaw.brain.persona import (
    ReplyStyle,
    build_persona,
    read_reply_style,
    with_preferences,
    with_reply_style,
    without_persona_preferences,
)
from finclaw.brain.prompt.budget import configured_limits, configured_policy
from finclaw.brain.prompt.composition import compose_prompt
from finclaw.brain.prompt.guides import wording_of
from finclaw.brain.prompt.layers import PromptParts
from finclaw.brain.prompt.setting import TurnSetting
from finclaw.brain.recall.attachments import read_attachments, shows_images
from finclaw.brain.recall.earlier_lookups import with_lookups
from finclaw.brain.recall.organisation_context import OrganisationContext, context_in_turn
from finclaw.brain.recall.organisation_knowledge import KnowledgeQuery
from finclaw.brain.recall.overruled_statements import (
    CONFLICT,
    NOTHING_OVERRULED,
    OverruledStatements,
    find_overruled,
    overruled_decisions,
    summary_decisions,
)
from finclaw.brain.recall.search import RecallResult, embed_queries, recall, recall_more
from finclaw.brain.recall.window import Window, active_window, latest_messages
from finclaw.brain.sanitization.candidates import (
    sanitize_candidates,
    sanitize_context,
    sanitize_entities,
    sanitize_snippets,
)
from finclaw.brain.tools import rounds as tool_rounds
from finclaw.brain.tools.decisions import with_tool_decisions
from finclaw.brain.types import Intent, PromptCandidate, TurnContext
from finclaw.brain.understanding.intent import REFERS_BACK
from finclaw.brain.understanding.message_reading import UnderstoodMessage
from finclaw.brain.understanding.query_rewrites import named_query
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, give_back_connection
from foundation.llm import Message
from foundation.personal_data import ConsentScope
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SafeText
from knowledge.types import KnowledgeBundle
from memory.retrieval.services import EmbeddedQuery, embed_query
from memory.services.agent_experience import experience_hints
from personas.message_wishes import infer_wishes


class MemoryRead(NamedTuple):
    """What one transaction reads for a prompt, and whether the consent of that moment lets the turn be learned from and
    memory be looked up. A message that is answered anew looks nothing up: tools would find what was said after it.
    """

    permit: Permit
    window: Window
    recall_result: RecallResult
    reply_style: ReplyStyle
    organisation: OrganisationContext
    hints: Sequence[SafeText]
    may_look_up: bool
    may_end: bool
    may_learn: bool
    learning_waits: bool


def prepare_model_answer(
    context: TurnContext, intent: Intent, memory: MemoryRead, consultation: KnowledgeQuery
) -> PreparedTurn:
    """Sanitize what was recalled and what the organisation knows, and compose the prompt."""
    known = consultation.result()
    overruled = find_overruled_memories(context.user, known)
    attached = read_attachments(context)
    give_back_connection()
    recalled = sanitize_recalled(context, memory.recall_result)
    recalled = without_persona_preferences(recalled, memory.reply_style, intent)
    candidates = tuple(map(overruled.judge, recalled))
    summaries = overruled.summaries_left(memory.window.summaries)
    call = _answering_call(context, intent, memory)
    parts = replace(
        _prompt_parts(context, intent, memory, known),
        summaries=summaries,
        ends_turn=call.ends_turn,
        attachments=attached.elements,
    )
    parts = with_reply_style(parts, memory.reply_style, candidates)
    persona = build_persona(memory.reply_style, parts.knowledge, candidates)
    composed = compose_prompt(
        replace(parts, persona=persona.context),
        [one for one in candidates if one.left_out != CONFLICT and one.id not in attached.passages],
        configured_limits(),
        configured_policy(),
        depth=context.session.last_seq // 2,  # exchanges: every second message is a reply
        slot_tokens=context.routing.slot_tokens,
        refused=(
            *overruled_decisions(candidates),
            *summary_decisions(context.session, memory.window.summaries, summaries),
        ),
    )
    return PreparedTurn(
        context=context,
        intent=intent,
        prompt=composed.prompt,
        assembly=with_tool_decisions(with_preferences(composed.assembly, persona.decisions), attached.decisions),
        window=replace(memory.window, summaries=tuple(composed.parts.summaries)),
        persona=persona,
        recall_result=replace(memory.recall_result, candidates=candidates),
        stores=known.stores_used,
        knowledge_ids=tuple(snippet.id for snippet in composed.parts.knowledge),
        call=call,
        content_parts=attached.content_parts,
        overruled=overruled,
    )


def embed_message(context: TurnContext, intent: Intent) -> tuple[EmbeddedQuery, ...]:
    """The message as a question, with its vector: memory and the organisation's knowledge are both searched by it."""
    text = context.request.text
    yield_to_other_requests(text)
    questions = embed_queries(named_query(text, intent, context.names))
    yield_to_other_requests(text)
    return questions


def read_memory(context: TurnContext, intent: Intent, questions: Sequence[EmbeddedQuery]) -> MemoryRead:
    """Everything that the prompt needs of the conversation and of memory, found by ``embed_message``'s questions."""
    user, session = context.user, context.session
    inferred = infer_wishes(context.request.message)
    with acting_as(user.pk):
        recent = active_window(session, before_seq=context.request.before_seq)
        permit = permit_for_answers(user)
        thresholds = context.routing.thresholds
        said_until = context.request.said_until
        recalled = recall(permit, session, questions, user.name, recent.since, said_until, thresholds)
        style = read_reply_style(permit, user, session, inferred, was_read=recalled.was_read)
        takes_tools = permit.allows(ConsentScope.MEMORY_LEARNING) and tool_rounds.offers_tools()
        may_look_up, may_learn = takes_tools and not context.request.repeats, session.remember and permit.may_learn
        return MemoryRead(
            permit=permit,
            window=recent,
            recall_result=recalled,
            reply_style=style,
            organisation=context_in_turn(session, style.org_name, style.org_tier, style.role),
            hints=experience_hints(permit, user, intent.intent_type, may_look_up=may_look_up),
            may_look_up=may_look_up,
            may_end=takes_tools and may_learn,
            may_learn=may_learn,
            learning_waits=session.remember and permit.learning_waits,
        )


def read_latest(context: TurnContext, intent: Intent) -> tuple[Message, ...]:
    """The last messages of the conversation, where the message refers to what was said before it."""
    if REFERS_BACK not in intent.context_hints:
        return ()
    with acting_as(context.user.pk):
        return latest_messages(context.session, context.request.before_seq)


def extend_memory(context: TurnContext, understood: UnderstoodMessage, memory: MemoryRead) -> MemoryRead:
    """``memory`` with what the small model's queries find besides. Where the consent changed since it was read,
    everything is read anew.
    """
    user, session = context.user, context.session
    questions = tuple(map(embed_query, understood.queries))
    with acting_as(user.pk):
        permit = permit_for_answers(user)
        if permit == memory.permit:
            since, said_until = memory.window.since, context.request.said_until
            thresholds = context.routing.thresholds
            recalled = recall_more(
                permit, session, questions, user.name, since, memory.recall_result, said_until, thresholds
            )
            intent_type = understood.intent.intent_type
            hints = experience_hints(permit, user, intent_type, may_look_up=memory.may_look_up)
            return memory._replace(recall_result=recalled, hints=hints)
    return read_memory(context, understood.intent, embed_message(context, understood.intent))


def _answering_call(context: TurnContext, intent: Intent, memory: MemoryRead) -> AssemblyProfile:
    """For which call the prompt is assembled. Where a program brings tools, the model is offered these alone."""
    program = context.request.program
    if shows_images(context):
        program = replace(program, role="large")
    brings_tools = program.caller.has_tools
    may_look_up, may_end = memory.may_look_up and not brings_tools, memory.may_end and not brings_tools
    call = answering_call(intent, memory.window, may_look_up=may_look_up, may_end=may_end)
    if program.role is None or program.role == call.role:
        return call
    return AssemblyProfile("small") if program.role == "small" else AssemblyProfile("large", may_look_up, may_end)


def sanitize_recalled(context: TurnContext, recalled: RecallResult) -> tuple[PromptCandidate, ...]:
    """The candidates on the calendar of the conversation, sanitized."""
    return sanitize_candidates(candidate.dated_in(context.zone) for candidate in recalled.candidates)


def find_overruled_memories(user: User, known: KnowledgeBundle) -> OverruledStatements:
    """What the organisation's knowledge overrules of the user's memories."""
    if not known.snippets:
        return NOTHING_OVERRULED
    with acting_as(user.pk):
        return find_overruled(permit_for(user), user, known.snippets)


def _prompt_parts(context: TurnContext, intent: Intent, memory: MemoryRead, known: KnowledgeBundle) -> PromptParts:
    """Every part of the prompt but the memories and the persona, sanitized."""
    return PromptParts(
        message=context.request.text,
        intent=intent,
        memories=(),
        context=sanitize_context(stated_fields(memory.recall_result.context)),
        entity_slots=sanitize_entities(_entities_said(context) | memory.organisation.as_slots()),
        summaries=memory.window.summaries,
        recent=with_lookups(memory.window.messages, context.request.program.lookups),
        recent_from=memory.window.places[0].seq if memory.window.places else 1,
        knowledge=sanitize_snippets(known.snippets),
        may_learn=memory.may_learn,
        learning_waits=memory.learning_waits,
        hints=memory.hints,
        was_read=memory.recall_result.was_read,
        setting=_turn_setting(context),
        program_instructions=context.request.program.instructions,
        caller=context.request.program.caller,
        rounds=context.request.program.rounds,
        wording=wording_of(context.assignments),
    )


def _entities_said(context: TurnContext) -> dict[str, list[str]]:
    """What the conversation named; nothing where an old message is answered anew, since when is not recorded."""
    return {} if context.request.before_seq is not None else context.session.entity_slots


def _turn_setting(context: TurnContext) -> TurnSetting:
    """Now, here, and the name the user gave; in a group the name that their messages stand under.

    Here is where the conversation was begun, so it is told to the user who began it alone.
    """
    zone, session = context.zone, context.session
    place = session.location if session.user_id == context.user.pk else ""
    person = context.user.name if context.in_group else context.user.display_name
    return TurnSetting(timezone.localtime(timezone=zone), zone.key, sanitize(place).text, sanitize(person).text)
