"""Removes the words of messages; each message keeps its place in the conversation and nothing else."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils import timezone

from memory.models import ConversationEvent


def redact(rows: QuerySet[ConversationEvent]) -> int:
    """Remove the words of these messages for good; returns how many. Call as the eraser."""
    return rows.update(content=[], learnable=False, redacted_at=timezone.now(), tombstone_id=None)
