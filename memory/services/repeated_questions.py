"""Finds messages whose answer the language model failed to write: they may be answered anew, replacing the answer."""

from __future__ import annotations

from uuid import UUID

from consent.permit import Permit
from foundation.exceptions import require_found
from foundation.llm import ModelUnavailable
from memory.content_blocks import REDACTED
from memory.exceptions import AnswerStands
from memory.models import ConversationEvent, Receipt
from memory.services.sessions import message_before, session_of
from memory.types import AnswerPlace, RepeatedQuestion


def repeated_question(permit: Permit, message_id: UUID) -> RepeatedQuestion:
    """The user's message of this id, or the one that the answer of this id answers, to be answered anew.

    Raises ``NotFound``, and ``AnswerStands`` if its answer came from the model, was replaced already or is gone, or if
    words of the message were forgotten since.
    """
    mine = ConversationEvent.objects.filter(user_id=permit.user_id)
    named = require_found(mine.filter(pk=message_id).first())
    session_of(permit, named.session_id)
    is_question = named.role == ConversationEvent.Role.USER
    question = named if is_question else message_before(named)
    answer = mine.at([(named.session_id, named.seq + 1)]).first() if is_question else named
    if question is None or answer is None or not _may_give_way(permit, question, answer):
        raise AnswerStands()
    blocks = tuple(question.content)
    return RepeatedQuestion(
        question.pk, question.session_id, blocks, question.occurred_at, AnswerPlace(answer.pk, answer.seq)
    )


def _may_give_way(permit: Permit, question: ConversationEvent, answer: ConversationEvent) -> bool:
    roles = (question.role, answer.role) == (ConversationEvent.Role.USER, ConversationEvent.Role.ASSISTANT)
    is_whole = question.redacted_at is None and not any(block.get("type") == REDACTED for block in question.content)
    if not roles or not is_whole or question.user_id != permit.user_id:
        return False
    failed = Receipt.objects.filter(
        user_id=permit.user_id, kind=Receipt.Kind.INJECTION, message_id=answer.pk,
        degraded__contains=[ModelUnavailable.code],
    )  # fmt: skip
    return failed.exists() and ConversationEvent.objects.filter(pk=answer.pk).not_replaced().exists()
