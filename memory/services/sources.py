"""Finds the messages that a memory or an event came from, and the memories that messages taught."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from uuid import UUID

from django.db.models import QuerySet

from consent.permit import Permit
from memory.models import ConversationEvent, MemoryItem
from memory.services.item_queries import items_of


def sources_of(permit: Permit, versions: Iterable[MemoryItem]) -> QuerySet[ConversationEvent]:
    """The user's own messages behind any of these versions, in the order they were said."""
    ids = {key for item in versions for key in item.message_ids}
    return messages_by_id(permit, ids)


def messages_by_id(permit: Permit, ids: Collection[UUID]) -> QuerySet[ConversationEvent]:
    """The user's own messages among ``ids``, with their conversations, in the order they were said."""
    found = ConversationEvent.objects.filter(pk__in=ids, user_id=permit.user_id, role=ConversationEvent.Role.USER)
    return found.select_related("session").order_by("occurred_at", "seq")


def learned_from(permit: Permit, message_ids: Collection[UUID]) -> QuerySet[MemoryItem]:
    """The open items that any of these messages taught."""
    return items_of(permit).open().taught_by(message_ids)
