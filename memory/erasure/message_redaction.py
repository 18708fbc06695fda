"""Removes the words of messages; each message keeps its place in the conversation and nothing else."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from memory.external_refs import NAMED, forgotten_refs
from memory.models import ConversationEvent


def redact(rows: QuerySet[ConversationEvent], user_id: UUID) -> int:
    """Remove the words of the user's messages for good, with the names they stand under; returns how many messages.

    Call as the eraser.
    """
    return rows.update(
        content=[],
        speaker="",
        external_ref=forgotten_refs(user_id),
        learnable=False,
        redacted_at=timezone.now(),
        tombstone_id=None,
    )


def count_words_left(rows: QuerySet[ConversationEvent]) -> int:
    """How many of these messages still hold words, or a name. Call as the eraser."""
    return rows.exclude(Q(content=[]) & Q(speaker="") & ~NAMED).count()
