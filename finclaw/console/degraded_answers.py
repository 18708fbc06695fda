"""Counts the degraded answers of the last day, which were given with a part missing, by what was missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, F, Func
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from consent.services import PERSONALIZATION_STOPPED
from finclaw.brain.answers.fallback_answers import MODEL_UNAVAILABLE
from finclaw.brain.prompt.budget import BUDGET_ALLOCATOR_FALLBACK
from finclaw.brain.recall.attached_images import IMAGE_UNSEEN
from finclaw.brain.recall.attachments import ATTACHMENT_UNREAD
from finclaw.brain.recall.search import QUERY_REWRITE_FAILED
from finclaw.brain.tools.rounds import TOOLS_UNAVAILABLE
from finclaw.brain.turn_budget import TURN_BUDGET_SPENT
from finclaw.brain.understanding.message_reading import UNDERSTANDING_LATE
from foundation.llm import SMALL_MODEL_UNAVAILABLE
from foundation.llm.metered_model import CEILING_OFFLINE, CEILING_SMALL_MODEL
from foundation.llm.offline_model import MODEL_OFFLINE
from foundation.llm.types import ANSWER_CUT
from knowledge.exceptions import (
    KnowledgeGraphTimedOut,
    KnowledgeGraphUnavailable,
    KnowledgeTimedOut,
    KnowledgeUnavailable,
    KnowledgeVectorsTimedOut,
    KnowledgeVectorsUnavailable,
)
from memory.exceptions import MemoryUnavailable
from memory.indexing.vector_failures import VECTOR_UNAVAILABLE
from memory.models import Receipt
from memory.projection.nearest import QDRANT_UNAVAILABLE
from memory.retrieval.services import COGNITIVE_DISABLED

SINCE: Final = timedelta(hours=24)
CHOSEN: Final = (MODEL_OFFLINE, COGNITIVE_DISABLED, PERSONALIZATION_STOPPED)
"""Reasons that a setting or a kill switch causes. They are not counted, since the Today page shows them separately."""
_WORDS: Final[Mapping[str, Promise]] = {
    MemoryUnavailable.code: _("without memory, which could not be read in time"),
    VECTOR_UNAVAILABLE: _("by full text alone, without vectors"),
    QDRANT_UNAVAILABLE: _("by the database alone, without the vector store"),
    QUERY_REWRITE_FAILED: _("without other wordings of the question"),
    KnowledgeTimedOut.code: _("without your organisations’ knowledge, which took too long"),
    KnowledgeUnavailable.code: _("without your organisations’ knowledge, which could not be read"),
    KnowledgeVectorsTimedOut.code: _("with your organisations’ knowledge found by words alone: vectors took too long"),
    KnowledgeVectorsUnavailable.code: _("with your organisations’ knowledge found by words alone: vectors failed"),
    KnowledgeGraphTimedOut.code: _("without what is related in your organisations’ knowledge, which took too long"),
    KnowledgeGraphUnavailable.code: _("without what is related in your organisations’ knowledge, which failed"),
    BUDGET_ALLOCATOR_FALLBACK: _("with the usual division of the prompt, since dividing it anew failed"),
    UNDERSTANDING_LATE: _("without the small model’s reading of the message, which took too long"),
    SMALL_MODEL_UNAVAILABLE: _("without the small model"),
    MODEL_UNAVAILABLE: _("from memory alone, since the model did not answer"),
    ATTACHMENT_UNREAD: _("without the text of a file that came with the message and was still being read"),
    IMAGE_UNSEEN: _("without showing the model a picture that came with the message"),
    TOOLS_UNAVAILABLE: _("without looking anything up"),
    TURN_BUDGET_SPENT: _("with fewer look-ups: the turn’s budget was spent (TURN_MODEL_CALLS, TURN_TOKENS)"),
    CEILING_SMALL_MODEL: _("by the small model, since the month’s ceiling for language models is reached"),
    CEILING_OFFLINE: _("without a model, since the month’s ceiling for language models is exceeded"),
    ANSWER_CUT: _("cut at the model’s limit (MODEL_MAX_OUTPUT_TOKENS)"),
}


@dataclass(frozen=True)
class DegradedAnswers:
    """The number of answers degraded for one reason; ``reason`` is its code and ``words`` describe it."""

    reason: str
    words: str
    answers: int


def degraded_answers(now: datetime) -> tuple[DegradedAnswers, ...]:
    """The counts by reason, the most frequent first. Call in the operators' database role."""
    recent = Receipt.objects.filter(kind=Receipt.Kind.INJECTION, created_at__gt=now - SINCE, created_at__lte=now)
    reasons = recent.exclude(degraded=[]).order_by().annotate(reason=Func(F("degraded"), function="unnest"))
    rows = reasons.values_list("reason").annotate(answers=Count("pk")).order_by("-answers", "reason")
    return tuple(
        DegradedAnswers(reason, str(_WORDS.get(reason, reason)), answers)
        for reason, answers in rows
        if reason not in CHOSEN
    )
