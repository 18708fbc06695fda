"""What the end of a chat tells the historian: the person's own words, and which of their questions were answered."""

from __future__ import annotations

from collections.abc import Sequence

from finclaw.brain.intent import classify
from foundation.text import cjk_share
from memory.evolution.analysis import analyze
from memory.evolution.types import Utterance
from memory.historian.offline import CHINESE_SHARE
from memory.models import ConversationEvent, Session
from memory.types import EndInput

LOOKED_BACK = 40  # messages
QUESTIONS_NAMED = 3
QUESTION_CHARS = 120
_QUESTIONS = frozenset({"knowledge_question", "memory_check"})
_REQUESTS = frozenset({"small_talk", "research"})


def end_input(session: Session, messages: Sequence[ConversationEvent]) -> EndInput:
    """The ``end`` of a chat, from its last messages, oldest first.

    ``new_info`` is the last thing the person stated (seed D: one new memory a message). Ending again without a
    word in between is the same event.
    """
    spoken = [message for message in messages if message.role == ConversationEvent.Role.USER]
    questions = [message for message in spoken if is_question(message.text)]
    stated = [message for message in spoken if is_statement(message)][-1:]
    return EndInput(
        request_id=f"chat-{session.pk}-{session.last_seq}",
        action_summary=_summary([message.text for message in questions[-QUESTIONS_NAMED:]]),
        new_info=stated[0].text if stated else "",
        message_ids=tuple(message.pk for message in [*questions[-QUESTIONS_NAMED:], *stated]),
    )


def is_question(text: str) -> bool:
    """Whether the message asks for an answer."""
    intent = classify(text)
    return intent.intent_type in _QUESTIONS or "question" in intent.context_hints


def is_statement(message: ConversationEvent) -> bool:
    """Whether the message tells something: no question, and no mere greeting or request."""
    if is_question(message.text):
        return False
    if classify(message.text).intent_type not in _REQUESTS:
        return True
    return bool(analyze(Utterance(message.text, message.speaker, message.occurred_at)))


def _summary(questions: Sequence[str]) -> str:
    """One sentence about the assistant, in the language it was asked in; the historian leaves quotations alone."""
    in_chinese = cjk_share("".join(questions)) >= CHINESE_SHARE
    if in_chinese:
        return "，".join(f"回答：“{_shortened(question)}”" for question in questions)
    return " and ".join(f"answered “{_shortened(question)}”" for question in questions)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= QUESTION_CHARS else line[: QUESTION_CHARS - 1].rstrip() + "…"
