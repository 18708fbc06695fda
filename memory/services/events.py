"""Cognitive events as people see them."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q, QuerySet

from consent.permit import Permit
from consent.sensitive.services import screened
from foundation.accounts.models import User
from foundation.exceptions import NotFound, ValidationFailed
from foundation.personal_data import Scope
from memory.indexing.embedding import index_now
from memory.indexing.events import rebuild_event_terms, said_before
from memory.indexing.services import event_document
from memory.models import CognitiveEvent
from memory.profiles.tasks import learn_later
from memory.services.versions import holding

MAX_EVENT_CHARS = 2_000
PERSON = "person"  # who wrote the text of an event, beside the historian's own names


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


def correct_event(permit: Permit, event_id: str, text: str) -> CognitiveEvent:
    """The person says how it was: their words take the place of the historian's, in all its perspectives.

    They stand as they are: nothing in them counts as unresolved. Raises ``NotFound`` for an event of somebody else's,
    ``ValidationFailed`` for empty or oversized text, ``SensitiveInput``, ``ConsentScopeMissing``.
    """
    words = _checked(permit, text)
    with holding(permit):
        event = event_of(permit, event_id)
        if event.user_id != permit.user_id:
            raise NotFound()
        same = CognitiveEvent.objects.filter(user_id=permit.user_id, event_id=event.event_id)
        same.update(
            canonical_text=words, did_what="", new_info=words, has_new_info=True, unresolved=[], rewritten_by=PERSON
        )
        corrected = list(same)
        index_now([event_document(one, said_before(one)) for one in corrected])
        rebuild_event_terms(permit.user_id, [event.session_id])
        learn_later(corrected, anew=True)
        return event_of(permit, event_id)


def _checked(permit: Permit, text: str) -> str:
    words = text.strip()
    if not words or len(words) > MAX_EVENT_CHARS:
        sentence = f"Give between 1 and {MAX_EVENT_CHARS} characters."
        raise ValidationFailed(details={"canonical_text": [sentence]})
    return screened("canonical_text", words, [User.objects.get(pk=permit.user_id).name]).text


def are_there(keys: Collection[UUID]) -> bool:
    """Whether all of these events can still be read, whoever's they are."""
    wanted = set(keys)
    return not wanted or CognitiveEvent.objects.filter(pk__in=wanted).count() == len(wanted)
