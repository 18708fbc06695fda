"""What the end of a chat tells the historian: the person's own words, and which of their questions were answered."""

from __future__ import annotations

from collections.abc import Sequence

from consent.permit import Permit
from finclaw.brain.intent import classify
from foundation.accounts.models import User
from foundation.text import cjk_share
from memory.evolution.analysis import analyze
from memory.evolution.types import Utterance
from memory.historian.canonical import CHINESE_SHARE
from memory.indexing.standing import past_among
from memory.models import ConversationEvent, Session
from memory.services.gist import GIST_CHARS, gist_of, untold
from memory.types import EndInput

QUESTIONS_NAMED = 3
QUESTION_CHARS = 60
_QUESTIONS = frozenset({"knowledge_question", "memory_check"})
_REQUESTS = frozenset({"small_talk", "research"})


def end_input(permit: Permit, user: User, session: Session) -> EndInput:
    """The ``end`` of a chat: what the person stated and asked since it was ended before, in 600 characters.

    What they have corrected meanwhile is left out. Ending again without a word in between is the same event.
    """
    request_id = f"chat-{session.pk}-{session.last_seq}"
    said = untold(permit, session, request_id)
    past = past_among([message.pk for message in said])
    stated = [message for message in said if message.pk not in past and is_statement(message)]
    questions = _each_once([one for one in said if one not in stated and is_question(one.text)])[-QUESTIONS_NAMED:]
    asked = [_shortened(message.text) for message in questions]
    gist = gist_of(user, session, stated, GIST_CHARS - len(_summary(asked)))
    return EndInput(
        request_id=request_id,
        action_summary=_summary(asked, gist.text),
        new_info=gist.text,
        message_ids=tuple(message.pk for message in [*questions, *gist.messages]),
    )


def _each_once(questions: Sequence[ConversationEvent]) -> list[ConversationEvent]:
    return list({question.text.strip(): question for question in questions}.values())


def is_question(text: str) -> bool:
    """Whether the message asks for an answer."""
    intent = classify(text)
    return intent.intent_type in _QUESTIONS or "question" in intent.context_hints


def is_statement(message: ConversationEvent) -> bool:
    """Whether the message tells something, beside a question too; a mere greeting or request does not."""
    if not is_question(message.text) and classify(message.text).intent_type not in _REQUESTS:
        return True
    return bool(analyze(Utterance(message.text, message.speaker, message.occurred_at)))


def _summary(questions: Sequence[str], told: str = "") -> str:
    """One sentence about the assistant, in the language of the whole.

    The historian leaves quotations alone; as somebody's question they read alone, whoever "I" is in them.
    """
    quoted = [f"“{question}”" for question in questions]
    if not quoted:
        return ""
    if cjk_share("".join([*questions, told])) >= CHINESE_SHARE:
        return f"回答了你的问题{'、'.join(quoted)}"
    return f"answered your question{'s' if len(quoted) > 1 else ''} {' and '.join(quoted)}"


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUESTION_CHARS else line[: QUESTION_CHARS - 1].rstrip() + "…"
