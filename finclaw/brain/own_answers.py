"""A message that wants something done, or asks what is remembered of its speaker, is answered in our own words: nothing
is recalled for it, and no model asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from consent.permit import Permit
from finclaw.brain.explanation import stated
from finclaw.brain.persona import Manner, Persona, manner_of, persona_of, reply_language
from finclaw.brain.research.objective import Language
from finclaw.brain.self_questions.followup_answers import answer_followup
from finclaw.brain.self_questions.followup_recognition import FollowUp
from finclaw.brain.self_questions.recognition import SelfQuestion
from finclaw.brain.self_questions.self_answers import answer_about_oneself
from finclaw.brain.skills.dispatch import Asked, OwnAnswer, answer_to
from finclaw.brain.types import NO_ASSEMBLY, Assembly
from finclaw.brain.window import Window, active_window
from foundation.accounts.models import User
from foundation.llm import Message, Prompt
from foundation.llm.offline_reading import language_of
from foundation.sanitization.prompt_text import NOTHING, as_message
from memory.models import Session
from memory.services.profile_context import profile_context
from personas.inference import infer


@dataclass(frozen=True)
class Answered:
    """Our answer, a prompt of the message alone that nobody is asked, what was said before it, the persona to be
    settled, and the memories that the answer quotes.
    """

    own: OwnAnswer
    prompt: Prompt
    window: Window
    persona: Persona
    quoted: Assembly = NO_ASSEMBLY


def answer_self_question(
    permit: Permit, user: User, session: Session, text: str, question: SelfQuestion | FollowUp
) -> Answered | None:
    """What is remembered of the speaker, or what becomes of what was just listed, in the language they are answered in;
    None where the message is better answered as usual. Call acting for them.
    """
    window = active_window(session)
    manner = manner_of(permit, user, session, infer(text))
    language = _language(permit, session, manner, text)
    answer = (
        answer_followup(permit, session, question, language)
        if isinstance(question, FollowUp)
        else answer_about_oneself(permit, session, question, language)
    )
    if answer is None:
        return None
    settled = isinstance(question, FollowUp)
    own = OwnAnswer(answer.text, language=language, correction=answer.correction, is_settled=settled)
    return Answered(own, _prompt_of(text), replace(window, summaries=()), persona_of(manner), answer.assembly)


def answer_ourselves(permit: Permit, user: User, asked: Asked) -> Answered:
    """What is said to such a message, in the language its person is answered in. Call acting for them.

    A refused message teaches nothing, not even how to answer.
    """
    window = active_window(asked.session)
    manner = manner_of(permit, user, asked.session, infer(asked.text))
    language = _language(permit, asked.session, manner, asked.text)
    own = answer_to(permit, user, replace(asked, recent=window.messages, language=language))
    persona = persona_of(replace(manner, signals=()) if own.is_refusal else manner)
    return Answered(own, _prompt_of(asked.text), replace(window, summaries=()), persona)


def _prompt_of(text: str) -> Prompt:
    return Prompt(NOTHING, (Message("user", as_message(text)),))


def _language(permit: Permit, session: Session, manner: Manner, text: str) -> Language:
    """As for any answer: asked for, stated or learned, else the message's."""
    context = stated(None if session.group_id else profile_context(permit))
    return language_of(text, reply_language(manner, context, ()) or context.get("language_preference"))
