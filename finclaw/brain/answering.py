"""A message that wants something done is answered in our own words: nothing is recalled for it, and no model asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from consent.permit import Permit
from finclaw.brain.explanation import stated
from finclaw.brain.persona import Manner, Persona, manner_of, persona_of, reply_language
from finclaw.brain.research.objective import Language
from finclaw.brain.skills.dispatching import Asked, OwnAnswer, answer_to
from finclaw.brain.window import Window, active_window
from foundation.accounts.models import User
from foundation.llm import Message, Prompt
from foundation.llm.offline_reading import language_of
from foundation.sanitization.prompt_text import NOTHING, as_message
from memory.models import Session
from memory.services.contexts import profile_context
from personas.inference import infer


@dataclass(frozen=True)
class Answered:
    """Our answer, a prompt of the message alone that nobody is asked, what was said before it, and the persona to be
    settled.
    """

    own: OwnAnswer
    prompt: Prompt
    window: Window
    persona: Persona


def answer_ourselves(permit: Permit, user: User, asked: Asked) -> Answered:
    """What is said to such a message, in the language its person is answered in. Call acting for them.

    A refused message teaches nothing, not even how to answer.
    """
    window = active_window(asked.session)
    manner = manner_of(permit, user, asked.session, infer(asked.text))
    language = _language(permit, asked.session, manner, asked.text)
    own = answer_to(permit, user, replace(asked, recent=window.messages, language=language))
    persona = persona_of(replace(manner, signals=()) if own.is_refusal else manner)
    return Answered(
        own, Prompt(NOTHING, (Message("user", as_message(asked.text)),)), replace(window, summaries=()), persona
    )


def _language(permit: Permit, session: Session, manner: Manner, text: str) -> Language:
    """As for any answer: asked for, stated or learned, else the message's."""
    context = stated(None if session.group_id else profile_context(permit))
    return language_of(text, reply_language(manner, context, ()) or context.get("language_preference"))
