"""Having a portrait made anew after what it is made of has changed: one job a person, a moment later."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.conf import settings

from foundation.outbox import services as outbox
from foundation.outbox.models import Priority
from foundation.personal_data import ConsentScope

REMAKE_TOPIC = "memory.portraits_anew"


def rebuild_later(user_id: UUID) -> None:
    """Have every portrait of the user's made anew, in the transaction that changes what they are made of.

    What waits for it already does for this change, too. Nothing without ``COGNITIVE_ENABLED``.
    """
    if settings.COGNITIVE_ENABLED:
        outbox.enqueue_once(
            REMAKE_TOPIC,
            user_id=user_id,
            scope=ConsentScope.MEMORY_LEARNING.value,
            priority=Priority.LOW,
            delay=timedelta(seconds=settings.PORTRAIT_REMAKE_SECONDS),
        )
