"""Queues messages that are neither searchable nor queued: a full queue dropped them, or their job was lost.

Each is queued from here only once: a message that is still not searchable after that has a reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final
from uuid import NAMESPACE_OID, UUID, uuid5

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from consent.exceptions import LearningStopped
from consent.services import learning_permit, scope_held_since
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.ids import first_id_at
from foundation.outbox import services as outbox
from foundation.outbox.capacity import has_room
from foundation.outbox.models import OutboxMessage, Priority
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import MESSAGES_STRANDED
from memory.indexing.withheld_messages import find_withheld_messages
from memory.learning.services import OBSERVE_TOPIC
from memory.models import ConversationEvent, SearchEntry

SEARCHED_PERIOD: Final = timedelta(days=2)
STRANDED_AFTER: Final = timedelta(minutes=15)
"""How long after it was stored a message may still be on its way to the queue."""
MOST_AT_ONCE: Final = 10_000
_WAITING: Final = (*OutboxMessage.UNFINISHED, OutboxMessage.State.FAILED)  # dead letters wait for an operator


def queue_stranded() -> int:
    """Queue the messages of the last days that nobody queued; returns how many. For the schedule."""
    if not has_room(Priority.LOW):
        return 0
    now = timezone.now()
    with in_role(OPERATOR_ROLE):
        found = list(_unsearchable(now).values_list("user_id", "pk")[:MOST_AT_ONCE])
    by_user: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for user_id, key in found:
        by_user[user_id].append(key)
    queued = sum(_queue_messages(user_id, keys) for user_id, keys in by_user.items())
    MESSAGES_STRANDED.inc(queued)
    return queued


def stranded_jobs(since: datetime) -> QuerySet[OutboxMessage]:
    """The jobs of messages that were found stranded since then."""
    return OutboxMessage.objects.filter(topic=OBSERVE_TOPIC, created_at__gte=since, payload__stranded=True)


def _unsearchable(now: datetime) -> QuerySet[ConversationEvent]:
    """Messages of the time in question that may be learned from and are not in search, the latest first."""
    entries = SearchEntry.objects.filter(pk=OuterRef("pk"))
    said = ConversationEvent.objects.filter(
        pk__gte=first_id_at(now - SEARCHED_PERIOD),
        created_at__lte=now - STRANDED_AFTER,
        learnable=True,
        redacted_at=None,
    )
    return said.filter(~Exists(entries)).order_by("-pk")


def _queue_messages(user_id: UUID, keys: Collection[UUID]) -> int:
    with acting_as(user_id):
        try:
            permit = learning_permit(user_id)
        except LearningStopped:
            return 0
        if permit is None:
            return 0
        since = scope_held_since(user_id, ConsentScope.MEMORY_LEARNING)
        said = ConversationEvent.objects.filter(pk__in=keys, user_id=user_id, consent_version__gte=since)
        left_out = find_withheld_messages(user_id, list(keys)) | _queued_messages(user_id)
        return sum(_queue_message(message) for message in said.order_by("pk") if message.pk not in left_out)


def _queued_messages(user_id: UUID) -> set[UUID]:
    jobs = OutboxMessage.objects.filter(topic=OBSERVE_TOPIC, user_id=user_id, state__in=_WAITING)
    return {UUID(key) for payload in jobs.values_list("payload", flat=True) for key in payload["messages"]}


def _queue_message(message: ConversationEvent) -> bool:
    """Queue a message unless it was queued from here before; returns whether it was."""
    queued = outbox.enqueue(
        OBSERVE_TOPIC,
        user_id=message.user_id,
        payload={"session": str(message.session_id), "messages": [str(message.pk)], "stranded": True},
        scope=ConsentScope.MEMORY_LEARNING.value,
        priority=Priority.LOW,
        key=uuid5(NAMESPACE_OID, f"stranded {message.pk}"),
    )
    return not queued.is_repeated
