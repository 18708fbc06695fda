"""What the end of a chat tells the historian: the person's own words, else which of their questions were answered."""

from __future__ import annotations

from collections.abc import Sequence

from consent.permit import Permit
from finclaw.brain.intent import classify
from foundation.accounts.models import User
from foundation.text import cjk_share, told_in
from memory.evolution.addressed import says_how_to_speak
from memory.evolution.analysis import analyze
from memory.evolution.types import Utterance
from memory.historian.canonical import CHINESE_SHARE
from memory.indexing.standing import past_among
from memory.indexing.unconfirmed import unconfirmed_among
from memory.models import ConversationEvent, Session
from memory.services.gist import gist_of, untold
from memory.types import EndInput

QUESTIONS_NAMED = 3
QUESTION_CHARS = 60
_QUESTIONS = frozenset({"knowledge_question", "memory_check"})
_REQUESTS = frozenset({"small_talk", "research"})


def end_input(permit: Permit, user: User, session: Session) -> EndInput:
    """The ``end`` of a chat: what the person stated since it was ended before, or else asked, in 600 characters.

    What they have corrected meanwhile is left out, and so is what they say of their health and have not confirmed.
    Ending again without a word in between is the same event.
    """
    request_id = f"chat-{session.pk}-{session.last_seq}"
    said = untold(permit, session, request_id)
    past = past_among(user.pk, [message.pk for message in said])
    stated = [message for message in said if message.pk not in past and is_statement(message)]
    gist = gist_of(user, session, stated)
    # A question beside what was told would make the event an answer to that question.
    questions = [] if gist.text else _each_once(_asked(user, said))[-QUESTIONS_NAMED:]
    return EndInput(
        request_id=request_id,
        action_summary=_summary([_shortened(message.text) for message in questions]),
        new_info=gist.text,
        message_ids=tuple(message.pk for message in [*questions, *gist.messages]),
    )


def _asked(user: User, said: Sequence[ConversationEvent]) -> list[ConversationEvent]:
    private = unconfirmed_among(user.pk, said)
    return [one for one in said if is_question(one.text) and one.pk not in private]


def _each_once(questions: Sequence[ConversationEvent]) -> list[ConversationEvent]:
    return list({question.text.strip(): question for question in questions}.values())


def is_question(text: str) -> bool:
    """Whether the message asks for an answer."""
    intent = classify(text)
    return intent.intent_type in _QUESTIONS or "question" in intent.context_hints or not told_in(text)


def is_statement(message: ConversationEvent) -> bool:
    """Whether the message tells something, beside a question too; a mere greeting, request or word on how to speak
    does not.
    """
    if says_how_to_speak(message.text):
        return False
    if not is_question(message.text) and classify(message.text).intent_type not in _REQUESTS:
        return True
    return bool(analyze(Utterance(message.text, message.speaker, message.occurred_at)))


def _summary(questions: Sequence[str]) -> str:
    """One sentence about the assistant, in the language of most of what was asked.

    The historian leaves quotations alone; as somebody's question they read alone, whoever "I" is in them.
    """
    quoted = [f"“{question}”" for question in questions]
    if not quoted:
        return ""
    if cjk_share("".join(questions)) >= CHINESE_SHARE:
        return f"回答了你的问题{'、'.join(quoted)}"
    return f"answered your question{'s' if len(quoted) > 1 else ''} {' and '.join(quoted)}"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUESTION_CHARS else line[: QUESTION_CHARS - 1].rstrip() + "…"
