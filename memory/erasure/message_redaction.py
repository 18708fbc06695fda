"""Taking the words out of messages: each keeps its place in the conversation, and nothing else of what was said."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils import timezone

from memory.models import ConversationEvent


def redact(rows: QuerySet[ConversationEvent]) -> int:
    """Empty these messages, for good; returns how many. Call as the eraser."""
    return rows.update(content=[], learnable=False, redacted_at=timezone.now(), tombstone_id=None)


def with_words(rows: QuerySet[ConversationEvent]) -> QuerySet[ConversationEvent]:
    """Those that still hold words."""
    return rows.exclude(content=[])
