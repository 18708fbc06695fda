"""Queues the rebuild of a user's portraits after memories they are made from have changed: one delayed job per user."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.conf import settings

from foundation.outbox import services as outbox
from foundation.outbox.models import Priority
from foundation.personal_data import ConsentScope

REMAKE_TOPIC = "memory.portraits_anew"


def rebuild_later(user_id: UUID) -> None:
    """Queue a rebuild of all the user's portraits, in the transaction that changes their material.

    If a job waits already, none is added. Does nothing without ``COGNITIVE_ENABLED``.
    """
    if settings.COGNITIVE_ENABLED:
        outbox.enqueue_once(
            REMAKE_TOPIC,
            user_id=user_id,
            scope=ConsentScope.MEMORY_LEARNING.value,
            priority=Priority.LOW,
            delay=timedelta(seconds=settings.PORTRAIT_REMAKE_SECONDS),
        )
