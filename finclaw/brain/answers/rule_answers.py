"""Prepares the answers written by rule: work requests and questions about oneself need neither recall nor a model."""

from __future__ import annotations

from dataclasses import replace

from django.utils import timezone

from consent.permit import Permit
from consent.services import permit_for_answers
from finclaw.brain.answers.dispatch import SkillRequest, answer_request
from finclaw.brain.answers.types import PreparedTurn, RuleAnswer
from finclaw.brain.context_slices import stated_fields
from finclaw.brain.persona import ReplyStyle, build_persona, read_reply_style, reply_language
from finclaw.brain.recall.window import Window, active_window
from finclaw.brain.self_questions.followup_answers import answer_followup
from finclaw.brain.self_questions.followup_recognition import read_followup
from finclaw.brain.self_questions.recognition import read_self_question
from finclaw.brain.self_questions.self_answers import SelfAnswer, answer_about_oneself
from finclaw.brain.types import NO_ASSEMBLY, Assembly, Intent, TurnContext
from foundation.database.acting_user import acting_as
from foundation.language import (
    Language,
    answer_language,
)
from foundation.llm import Message, Prompt
from foundation.sanitization.prompt_text import NOTHING, as_message
from memory.research.profile_context import profile_context
from personas.message_wishes import infer_wishes


def prepare_self_answer(context: TurnContext) -> PreparedTurn | None:
    """The turn of a question about oneself, or of a follow-up on one; None for any other message."""
    message, session = context.request.message, context.session
    followup = None if context.in_group else read_followup(message)
    question = None if followup else read_self_question(message)
    if followup is None and question is None:
        return None
    with acting_as(context.user.pk), timezone.override(context.zone):
        permit = permit_for_answers(context.user)
        window, reply_style, language = _read_setting(permit, context)
        answer: SelfAnswer | None = None
        if followup is not None:
            answer = answer_followup(permit, session, followup, language)
        elif question is not None:
            answer = answer_about_oneself(permit, session, question, language)
    if answer is None:
        return None
    is_correction = followup is not None and followup.kind == "correct"
    rule_answer = RuleAnswer(
        answer.text,
        language=language,
        correction=answer.correction,
        teaches_nothing=followup is not None,
        answers_objection=is_correction,
    )
    intent = Intent("correction" if is_correction else "memory_check", 1.0)
    return _prepared_turn(context, intent, rule_answer, window, reply_style, answer.assembly)


def prepare_work_answer(context: TurnContext, intent: Intent, *, asks_to_act: bool = False) -> PreparedTurn:
    """The turn of a message that asks for work. A refused request teaches nothing, not even a reply style."""
    with acting_as(context.user.pk):
        permit = permit_for_answers(context.user)
        window, reply_style, language = _read_setting(permit, context)
        request = SkillRequest(
            context.request.message,
            intent,
            context.session,
            context.names,
            asks_to_act,
            window.messages,
            language,
            context.routing,
        )
        rule_answer = answer_request(permit, context.user, request)
    if rule_answer.is_refusal:
        reply_style = replace(reply_style, signals=())
    return _prepared_turn(context, intent, rule_answer, window, reply_style)


def _read_setting(permit: Permit, context: TurnContext) -> tuple[Window, ReplyStyle, Language]:
    """The conversation so far, how the user wants to be answered, and in which language: the one requested, stated or
    learned; else the language of the message.
    """
    message = context.request.message
    window = active_window(context.session, before_seq=context.request.before_seq)
    reply_style = read_reply_style(permit, context.user, context.session, infer_wishes(message))
    stated = stated_fields(None if context.in_group else profile_context(permit))
    language = answer_language(
        message.text, reply_language(reply_style, stated, ()) or stated.get("language_preference")
    )
    return window, reply_style, language


def _prepared_turn(
    context: TurnContext,
    intent: Intent,
    rule_answer: RuleAnswer,
    window: Window,
    reply_style: ReplyStyle,
    quoted: Assembly = NO_ASSEMBLY,
) -> PreparedTurn:
    """The turn of a rule-made answer: its prompt is the message alone, which no model sees."""
    return PreparedTurn(
        context=context,
        intent=intent,
        prompt=Prompt(NOTHING, (Message("user", as_message(context.request.text)),)),
        assembly=quoted,
        window=replace(window, summaries=()),
        persona=build_persona(reply_style),
        rule_answer=rule_answer,
    )
