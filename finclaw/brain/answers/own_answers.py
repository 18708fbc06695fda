"""Answers written by rule: requests for work and questions about oneself need neither recall nor a model."""

from __future__ import annotations

from dataclasses import dataclass, replace

from consent.permit import Permit
from finclaw.brain.answers.dispatch import OwnAnswer, SkillRequest, answer_request
from finclaw.brain.context_slices import stated_fields
from finclaw.brain.material.objective import Language
from finclaw.brain.persona import ReplyStyle, TurnPersona, build_persona, read_reply_style, reply_language
from finclaw.brain.recall.window import Window, active_window
from finclaw.brain.self_questions.followup_answers import answer_followup
from finclaw.brain.self_questions.followup_recognition import FollowUp
from finclaw.brain.self_questions.recognition import SelfQuestion
from finclaw.brain.self_questions.self_answers import answer_about_oneself
from finclaw.brain.types import NO_ASSEMBLY, Assembly
from foundation.accounts.models import User
from foundation.llm import Message, Prompt
from foundation.llm.offline_intent import language_of
from foundation.sanitization.prompt_text import NOTHING, as_message
from memory.models import Session
from memory.research.profile_context import profile_context
from personas.message_wishes import infer_wishes


@dataclass(frozen=True)
class PreparedOwnAnswer:
    """A rule-made answer with everything its turn stores: a prompt of the message alone, which no model sees, the
    conversation window, the persona to store, and the memories that the answer quotes.
    """

    own: OwnAnswer
    prompt: Prompt
    window: Window
    persona: TurnPersona
    quoted: Assembly = NO_ASSEMBLY


def answer_self_question(
    permit: Permit, user: User, session: Session, text: str, question: SelfQuestion | FollowUp
) -> PreparedOwnAnswer | None:
    """The answer to a question about oneself or to a follow-up on it, in the user's language; None where the turn
    should go on as usual. Call acting for the user.
    """
    window = active_window(session)
    reply_style = read_reply_style(permit, user, session, infer_wishes(text))
    language = _answer_language(permit, session, reply_style, text)
    answer = (
        answer_followup(permit, session, question, language)
        if isinstance(question, FollowUp)
        else answer_about_oneself(permit, session, question, language)
    )
    if answer is None:
        return None
    settled = isinstance(question, FollowUp)
    own = OwnAnswer(answer.text, language=language, correction=answer.correction, is_settled=settled)
    return PreparedOwnAnswer(
        own, _message_prompt(text), replace(window, summaries=()), build_persona(reply_style), answer.assembly
    )


def answer_work_request(permit: Permit, user: User, request: SkillRequest) -> PreparedOwnAnswer:
    """The answer to a request for work, in the user's language. Call acting for the user.

    A refused request teaches nothing, not even a reply style.
    """
    window = active_window(request.session)
    reply_style = read_reply_style(permit, user, request.session, infer_wishes(request.text))
    language = _answer_language(permit, request.session, reply_style, request.text)
    own = answer_request(permit, user, replace(request, recent=window.messages, language=language))
    persona = build_persona(replace(reply_style, signals=()) if own.is_refusal else reply_style)
    return PreparedOwnAnswer(own, _message_prompt(request.text), replace(window, summaries=()), persona)


def _message_prompt(text: str) -> Prompt:
    return Prompt(NOTHING, (Message("user", as_message(text)),))


def _answer_language(permit: Permit, session: Session, reply_style: ReplyStyle, text: str) -> Language:
    """The language requested, stated or learned; else the language of the message."""
    context = stated_fields(None if session.group_id else profile_context(permit))
    return language_of(text, reply_language(reply_style, context, ()) or context.get("language_preference"))
