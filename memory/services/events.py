"""Cognitive events as people see them."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q, QuerySet

from consent.permit import Permit
from foundation.exceptions import NotFound
from foundation.personal_data import Scope
from memory.models import CognitiveEvent


def events_of(permit: Permit) -> QuerySet[CognitiveEvent]:
    """The person's own events and those of their groups, each once, the latest first. None without consent."""
    if not permit.allows(Scope.MEMORY_LEARNING):
        return CognitiveEvent.objects.none()
    own = Q(user_id=permit.user_id, perspective=CognitiveEvent.Perspective.SENDER)
    member = Q(
        perspective=CognitiveEvent.Perspective.GROUP,
        group__memberships__user_id=permit.user_id,
        group__memberships__left_at=None,
    )
    foreign_group_rows = member & ~Q(user_id=permit.user_id)
    return CognitiveEvent.objects.filter(own | foreign_group_rows).order_by("-timestamp_utc", "-id")


def event_of(permit: Permit, event_id: str) -> CognitiveEvent:
    """One event by its ``request_id:end_seq``, the person's own before a group's. Raises ``NotFound``."""
    found = list(events_of(permit).filter(event_id=event_id)[:20])
    if not found:
        raise NotFound()
    return next((event for event in found if event.user_id == permit.user_id), found[0])


def are_there(keys: Collection[UUID]) -> bool:
    """Whether all of these events can still be read, whoever's they are."""
    wanted = set(keys)
    return not wanted or CognitiveEvent.objects.filter(pk__in=wanted).count() == len(wanted)
