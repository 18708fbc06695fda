"""The words that an event adds to the search entry of the next one in the same conversation and perspective."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby
from operator import attrgetter
from uuid import UUID

from django.db.models import QuerySet

from consent.services import scope_held_since
from foundation.personal_data import ConsentScope
from memory.indexing.documents import SearchDocument, event_document
from memory.indexing.embedding import index_now
from memory.indexing.services import write_terms
from memory.models import CognitiveEvent


def preceding_event_text(event: CognitiveEvent) -> tuple[str, ...]:
    """The text of the preceding event of the conversation, if any: its words are indexed with this event's."""
    told = _events_lending_terms(event.user_id, [event.session_id])
    before = told.filter(perspective=event.perspective, timestamp_utc__lt=event.timestamp_utc)
    text = before.order_by("-timestamp_utc").values_list("canonical_text", flat=True).first()
    return (text,) if text else ()


def rebuild_event_terms(user_id: UUID, session_ids: Collection[UUID]) -> int:
    """Rebuild the terms of the user's events in these conversations after one was erased; returns how many.

    Call while acting for the user.
    """
    documents = _documents_in(user_id, session_ids)
    write_terms(documents)
    return len(documents)


def reindex_corrected(user_id: UUID, session_id: UUID, corrected: Collection[UUID]) -> None:
    """Index the ``corrected`` events of a conversation anew, and rewrite the terms of the events that follow them.

    Call while acting for the user, in the transaction that corrects.
    """
    documents = _documents_in(user_id, [session_id])
    index_now([document for document in documents if document.id in corrected])
    write_terms([document for document in documents if document.id not in corrected])


def _documents_in(user_id: UUID, session_ids: Collection[UUID]) -> list[SearchDocument]:
    told = _events_lending_terms(user_id, session_ids).order_by("session_id", "perspective", "timestamp_utc")
    threads = groupby(told.iterator(), key=attrgetter("session_id", "perspective"))
    return [document for _, events in threads for document in _documents(events)]


def _documents(events: Iterator[CognitiveEvent]) -> Iterator[SearchDocument]:
    """The documents of one conversation's events in one perspective; events of one moment share no words."""
    near: tuple[str, ...] = ()
    for _, together in groupby(events, key=attrgetter("timestamp_utc")):
        at_once = list(together)
        yield from (event_document(event, near) for event in at_once)
        near = (at_once[-1].canonical_text,)


def _events_lending_terms(user_id: UUID, session_ids: Collection[UUID]) -> QuerySet[CognitiveEvent]:
    """The events whose words may be added: those stored since consent was last granted; earlier ones await a purge."""
    since = scope_held_since(user_id, ConsentScope.MEMORY_LEARNING)
    return CognitiveEvent.objects.filter(user_id=user_id, session_id__in=session_ids, consent_version__gte=since)
